/* SPDX-License-Identifier: MIT */
/* Words as a shell takes them: what is shown as a command can be pasted. */
#ifndef BASE_SHELL_H
#define BASE_SHELL_H

#include "base/out.h"

/* One word, quoted where a shell needs it: 'a b', $'a\012b' for what may not reach a terminal. */
void shell_word(struct out *o, struct slice word, bool ascii);
/* The same, cut at size - 1 bytes. Returns buf. */
char *shell_quote(const char *word, char *buf, size_t size);

#endif
