/* SPDX-License-Identifier: MIT */
#include "base/shell.h"

#include "base/utf8.h"

/* Nothing in it means something to a shell. An = in front expands in zsh, a ~ in all. */
static bool is_bare(struct slice s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!is_digit(s.p[i]) && !is_alpha(s.p[i]) && !strchr("@%+:,./_-", s.p[i]) &&
		    !(i && s.p[i] == '='))
			return false;
	return s.n > 0;
}

static bool may_be_shown(struct slice s, bool ascii)
{
	while (s.n) {
		int32_t c = utf8_take(&s);

		if (c < 0 || utf8_unsafe(c) || (ascii && c > 0x7e))
			return false;
	}
	return true;
}

/* In $'...' every byte can be written down: bash, zsh, ksh, and POSIX since 2024. */
static void escaped_word(struct out *o, struct slice s)
{
	out_str(o, "$'");
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '\'' || c == '\\')
			out_printf(o, "\\%c", c);
		else if (c < 0x20 || c > 0x7e) /* three digits end the number, whatever follows */
			out_printf(o, "\\%03o", c);
		else
			out_byte(o, (char)c);
	}
	out_byte(o, '\'');
}

void shell_word(struct out *o, struct slice s, bool ascii)
{
	if (is_bare(s)) {
		out_put(o, s);
		return;
	}
	if (!may_be_shown(s, ascii)) {
		escaped_word(o, s);
		return;
	}
	out_byte(o, '\'');
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\'')
			out_str(o, "'\\''");
		else
			out_byte(o, s.p[i]);
	}
	out_byte(o, '\'');
}

char *shell_quote(const char *word, char *buf, size_t size)
{
	struct out o;

	out_memory(&o);
	shell_word(&o, slice_str(word), false);
	slice_cstr(out_slice(&o), buf, size);
	out_close(&o);
	return buf;
}
