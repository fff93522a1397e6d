/* SPDX-License-Identifier: MIT */
/* Which program runs in a process, as far as its mappings show it. */
#ifndef MODEL_IMAGE_H
#define MODEL_IMAGE_H

#include "model/model.h"

/*
 * Is it another program (exec) under the same pid? The stack and the vdso are
 * placed anew by every exec, and stay where they are otherwise.
 */
bool image_changed(const struct smaps *before, const struct smaps *now);

/*
 * The file of the program: the one that [heap] follows (brk() begins behind
 * the program's data), else the lowest one. NULL: no file is mapped.
 */
const struct vma *image_program(const struct smaps *s);
/*
 * Another file is the program, by name and by inode: not when it was renamed,
 * or replaced on disk while it runs, nor when either side maps the other's.
 */
bool image_program_changed(const struct smaps *before, const struct smaps *now);

#endif
