/* SPDX-License-Identifier: MIT */
/* Between cmd/load*.c only. */
#ifndef CMD_LOAD_INTERNAL_H
#define CMD_LOAD_INTERNAL_H

#include "cmd/load.h"

/* A saved directory or archive; a file, standard input or a pipe. */
int load_tree(struct load *l, const char *path, const struct common_options *c, struct load_options o, struct err *e);
int load_file(struct load *l, const char *path, const struct common_options *c, struct load_options o, struct err *e);
/* A sentence for people at s; text must outlive l. */
void load_remark(struct load *l, struct snapshot *s, const char *text);
/* A file of at most SYSTEM_FILE_MAX bytes, whole, in l->arena; empty: absent, denied, or noted as unread. */
struct slice load_read_small(struct load *l, struct tree *t, const char *path);
/* The same into another arena, for what is looked at and let go. */
struct slice load_read_into(struct arena *a, struct load *l, struct tree *t, const char *path);
/* Its first line, trimmed. */
struct slice load_read_line(struct load *l, struct tree *t, const char *path);
/* The system files of a flat directory, as far as they are there. */
void load_flat_system(struct load *l, struct tree *t);
/* perf stat outputs in the top folder of a tree, beside what else is there. */
int load_perf_files(struct load *l, struct tree *t, const char *path, struct err *e);
/* The test robot's results in a directory of its own. */
int load_result_files(struct load *l, struct tree *t, const char *path, struct err *e);
/* Adds the bytes of a counter source. */
void load_add_counters(struct load *l, enum source_kind kind, const char *path, struct slice bytes);

#endif
