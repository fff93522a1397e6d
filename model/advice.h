/* SPDX-License-Identifier: MIT */
/* What to change. Each piece of advice has a live test that follows it and sees the result. */
#ifndef MODEL_ADVICE_H
#define MODEL_ADVICE_H

#include "model/findings.h"

/* One or two sentences for the case at hand. v and t are NULL and zero for the process. */
void advice_for(const struct model *m, const struct finding *f, const struct vma *v, const struct thp *t,
		struct out *o);

#endif
