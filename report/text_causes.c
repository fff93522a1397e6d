/* SPDX-License-Identifier: MIT */
/* The numbered lines that say what to change. */
#include <inttypes.h>

#include "report/report_text.h"

static const enum role severity_roles[SEVERITIES] = {
	[SEVERITY_HIGH] = ROLE_HIGH,
	[SEVERITY_MEDIUM] = ROLE_MEDIUM,
	[SEVERITY_LOW] = ROLE_LOW,
	[SEVERITY_INFO] = ROLE_DIM,
};

static void put_cause(struct out *text, const struct text_style *st, const struct cause *c,
		      bool several)
{
	bool many = c->mappings > 1 || c->processes > 1;
	char buf[STYLE_BUF];

	if (many) {
		if (c->mappings)
			out_printf(text, "%" PRIu32 " mappings", c->mappings);
		if (several && c->processes > 1)
			out_printf(text, "%s%" PRIu32 " processes", c->mappings ? " of " : "",
				   c->processes);
		if (c->lost_kb)
			out_printf(text, ", %s", style_size(buf, st, c->lost_kb));
		out_str(text, ": ");
		finding_message_many(c->m, c->worst, text);
	} else {
		finding_message(c->m, c->worst, text);
	}
	if (c->certainty != CERTAIN && text->n && text->buf[text->n - 1] == '.') {
		text->n--;
		out_printf(text, " (%s).", certainty_names[c->certainty]);
	}
	out_byte(text, ' ');
	if (c->mappings > 1)
		advice_say((enum advice)c->advice, c->m, NULL, text);
	else
		finding_advice(c->m, c->worst, text);
}

void text_causes(struct out *o, const struct text_style *st, const struct blame *b, bool several)
{
	int indent = st->width < 60 ? 2 : b->causes_n > 9 ? 11 : 10;
	struct out text;
	struct wrap w;

	out_memory(&text);
	for (size_t i = 0; i < b->causes_n; i++) {
		const struct cause *c = &b->causes[i];

		out_printf(o, "%*zu ", b->causes_n > 9 ? 2 : 1, i + 1);
		style_on(o, st, severity_roles[c->severity]);
		style_left(o, severity_names[c->severity], 8);
		style_off(o, st, severity_roles[c->severity]);
		put_cause(&text, st, c, several);
		wrap_start(&w, o, text_prose_width(st), b->causes_n > 9 ? 11 : 10, indent);
		wrap_words(&w, out_slice(&text));
		wrap_end(&w);
		out_reset(&text);
	}
	out_close(&text);
}
