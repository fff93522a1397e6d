/* SPDX-License-Identifier: MIT */
/* Mappings written as /proc/PID/smaps has them: to save a moment that was read long ago. */
#ifndef REPORT_SMAPS_TEXT_H
#define REPORT_SMAPS_TEXT_H

#include "base/out.h"
#include "parse/smaps.h"

/* Every field and flag that was there, as Linux 6.18 orders them: read back, the same table. */
void smaps_text(struct out *o, const struct smaps *s);

#endif
