/* SPDX-License-Identifier: MIT */
/*
 * The command line as a shell takes it, for the hint that root would be
 * allowed what was denied: the very command that was typed, ready to paste.
 */
#ifndef CMD_AS_ROOT_H
#define CMD_AS_ROOT_H

#include "base/out.h"

/* Keeps argv, which the caller owns; NULL-terminated. Before it nothing is said. */
void as_root_remember(char *const *argv);

/*
 * "Try: sudo hugecov diff before 4711" and a line end. Where sudo cannot hand
 * on what a word names (a pipe of this shell, /dev/fd/63) the line says so.
 */
void as_root_hint(struct out *o, bool ascii);

#endif
