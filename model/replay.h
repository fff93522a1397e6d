/* SPDX-License-Identifier: MIT */
/*
 * A recording read back, line by line: whole reports, and what changed
 * between. A moment is made from the one before and its line; both stay whole,
 * so that two arenas are enough for a recording of any length. The form of the
 * lines is told in report/tick_json.h.
 */
#ifndef MODEL_REPLAY_H
#define MODEL_REPLAY_H

#include "model/sample.h"

enum replay_line { REPLAY_OTHER, REPLAY_FULL, REPLAY_TICK };
enum { REPLAY_HEAD = 1024 }; /* bytes of a line that tell what it is */

/* From the first bytes of a line; *ret_time_ns is -1 where they do not hold the time. */
enum replay_line replay_kind(struct slice head, int64_t *ret_time_ns);

/*
 * A whole report. `ret` is zeroed by the caller and freed by snapshot_free()
 * in any case. lineno is for messages. The rates are moved on by one tick.
 */
int replay_full(struct slice line, unsigned long lineno, struct snapshot *ret, struct sample *s,
		struct rates *rates, struct err *e);
/* What changed since `before`. A mapping that shall go and is not there is no fault. */
int replay_tick(struct slice line, unsigned long lineno, const struct snapshot *before,
		struct snapshot *ret, struct sample *s, struct rates *rates, struct err *e);

#endif
