/* SPDX-License-Identifier: MIT */
#include "model/readings.h"

void readings_add(struct readings *r, const char *id, struct slice text, struct slice evidence)
{
	r->at = mem_grow(r->at, &r->cap, r->n + 1, sizeof(*r->at));
	r->at[r->n++] = (struct reading){ id, text, evidence };
}

void readings_free(struct readings *r)
{
	mem_free(r->at);
	*r = (struct readings){ 0 };
}
