/* SPDX-License-Identifier: MIT */
/* The page of help, from the table of keys. */
#include "report/view_internal.h"

void view_help(struct view_text *t, const struct view_frame *f, const struct view *v)
{
	view_text_add(t, ROLE_TITLE, 0, "Keys");
	for (const struct view_binding *b = view_bindings; b->run; b++)
		if (b->when != (f->replay ? WHEN_LIVE : WHEN_REPLAY))
			view_text_add(t, ROLE_PLAIN, 14, "  %-11s %s", b->shown, b->help);
	view_text_add(t, ROLE_PLAIN, 0, " ");
	view_text_add(t, ROLE_TITLE, 0, "Words");
	for (int i = 0; i < FATE_COUNT; i++)
		view_text_add(t, ROLE_PLAIN, 18, "  %c %-13s %s", fate_rows[i].glyph,
			      fate_rows[i].name, fate_rows[i].meaning);
	view_text_add(t, ROLE_PLAIN, 0, " ");
	view_text_add(t, ROLE_PLAIN, 2,
		      "huge/fit/max: huge pages there are, slots that fit where the mapping lies, "
		      "slots its "
		      "length could hold. cost: resident memory that would be huge otherwise.");
	view_text_add(t, ROLE_PLAIN, 2,
		      "+ and - behind a number: it rose or fell since the tick before. * behind an "
		      "address: "
		      "a new mapping. ~ before a number: estimated between two full looks.");
	view_text_add(
		t, ROLE_PLAIN, 2,
		"slots: # huge, - small pages, + part of the slots of this cell huge, . empty, "
		"s swapped out, z zero page, ? not looked at, < > memory outside of any slot.");
	(void)v;
}
