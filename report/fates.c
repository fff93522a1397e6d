/* SPDX-License-Identifier: MIT */
#include "report/fates.h"

#include <math.h>

void fates_amounts(const struct waterfall *w, uint64_t ret[FATE_COUNT])
{
	ret[FATE_HUGE] = w->huge;
	ret[FATE_NOT_ALLOWED] = w->policy_loss;
	ret[FATE_MISPLACED] = w->alignment_loss;
	ret[FATE_TOO_SMALL] = w->subslot;
	ret[FATE_NOT_DELIVERED] = w->delivery_loss;
}

void fates_cells(const uint64_t kb[FATE_COUNT], uint64_t all, int width, int cells[FATE_COUNT])
{
	double rest[FATE_COUNT];
	int used = 0;

	for (int i = 0; i < FATE_COUNT; i++) {
		double exact = (double)kb[i] / (double)all * width;

		cells[i] = kb[i] && exact < 1 ? 1 : (int)exact;
		rest[i] = kb[i] && exact >= 1 ? exact - floor(exact) : -1;
		used += cells[i];
	}
	while (used != width) {
		int at = 0;

		for (int i = 1; i < FATE_COUNT; i++) {
			bool better = used < width ? rest[i] > rest[at] : cells[i] > cells[at];

			at = better ? i : at;
		}
		cells[at] += used < width ? 1 : -1;
		used += used < width ? 1 : -1;
		rest[at] = -1;
	}
}
