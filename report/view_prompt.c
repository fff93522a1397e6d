/* SPDX-License-Identifier: MIT */
/* Words that are typed: what to find, a filter, a time to go to. */
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"
#include "report/view_internal.h"

static void set_filter(struct view *v, const struct view_frame *f)
{
	struct filter *filter = NULL;
	struct err e = { 0 };
	char text[VIEW_INPUT];

	/* The filter keeps a pointer to its pattern: it goes where it will stay. */
	memcpy(text, v->filter_text, sizeof(text));
	memcpy(v->filter_text, v->input, sizeof(v->filter_text));
	if (v->input[0] &&
	    filter_new(&filter,
		       &(struct filter_options){ .match = v->filter_text, .option = "filter" },
		       &e)) {
		memcpy(v->filter_text, text, sizeof(text));
		if (e.column)
			view_say(v, "Not a pattern: %.150s at column %lu; as before: %.40s", e.text,
				 e.column, text[0] ? text : "no filter");
		else
			view_say(v, "%.200s", e.text);
		return;
	}
	filter_free(v->filter);
	v->filter = filter;
	view_make_rows(v, f);
	v->asks |= ASK_STRIPS;
}

/* "+90s" "-5m" "2h": seconds; "12:00" "12:00:30"; "50%". */
static bool view_read_jump(struct slice s, enum view_jump *kind, double *ret)
{
	bool sign = s.n && (*s.p == '+' || *s.p == '-'), back = sign && *s.p == '-';
	uint64_t part[3] = { 0 };
	int n = 0;

	if (sign)
		s = slice_skip(s, 1);
	do {
		if (n == 3 || num_take_u64(&s, &part[n++]) != NUM_OK || part[n - 1] > 1000000)
			return false;
	} while (s.n && *s.p == ':' && (s = slice_skip(s, 1), true));
	if (n > 1) {
		*kind = JUMP_CLOCK;
		*ret = (double)(part[0] * 3600 + part[1] * 60 + part[2]);
		return !sign && !s.n && part[0] < 24 && part[1] < 60 && part[2] < 60;
	}
	if (s.n == 1 && *s.p == '%' && !sign) {
		*kind = JUMP_PERCENT;
		*ret = (double)part[0];
		return part[0] <= 100;
	}
	double unit = s.n == 0 || slice_eq_str(s, "s") ? 1
		      : slice_eq_str(s, "m")	       ? 60
		      : slice_eq_str(s, "h")	       ? 3600
						       : 0;

	*kind = JUMP_BY;
	*ret = (double)part[0] * unit * (back ? -1 : 1);
	return unit != 0 && sign;
}

static void accept(struct view *v, const struct view_frame *f)
{
	enum view_prompt prompt = v->prompt;

	v->prompt = PROMPT_NONE;
	if (prompt == PROMPT_FIND) {
		if (v->input[0])
			memcpy(v->find, v->input, sizeof(v->find));
		view_find_next(v, f, false);
	} else if (prompt == PROMPT_FILTER) {
		set_filter(v, f);
	} else if (view_read_jump(slice_str(v->input), &v->jump_kind, &v->jump)) {
		v->asks |= ASK_JUMP;
	} else if (v->input[0]) {
		view_say(v, "No time: %.60s. Write 12:00:30, +90s, -5m, 2h or 50%%", v->input);
	}
}

static void rub_out(struct view *v)
{
	/* A whole character, not one byte of it. */
	while (v->input_n && ((unsigned char)v->input[--v->input_n] & 0xc0) == 0x80)
		;
	v->input[v->input_n] = '\0';
}

void view_prompt_key(struct view *v, const struct view_frame *f, int32_t key)
{
	char buf[4];

	if (key == VIEW_KEY_ENTER || key == '\n' || key == '\r') {
		accept(v, f);
	} else if (key == VIEW_KEY_ESC) {
		v->prompt = PROMPT_NONE;
	} else if (key == VIEW_KEY_BACKSPACE || key == 0x7f || key == '\b') {
		if (!v->input_n)
			v->prompt = PROMPT_NONE;
		rub_out(v);
	} else if (key == VIEW_KEY_DELETE_LINE || key == CTRL('u')) {
		v->input_n = 0;
		v->input[0] = '\0';
	} else if (key >= 0x20 && key < 0x110000 && !utf8_unsafe(key)) {
		size_t n = utf8_put(buf, key);

		if (v->input_n + n < sizeof(v->input)) {
			memcpy(v->input + v->input_n, buf, n);
			v->input_n += n;
			v->input[v->input_n] = '\0';
		}
	}
}
