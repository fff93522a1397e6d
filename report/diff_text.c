/* SPDX-License-Identifier: MIT */
#include "report/diff_text.h"

void diff_text(struct out *o, const struct diff_text *v)
{
	const struct diff *d = v->d;
	char buf[STYLE_BUF];

	if (d->verdict)
		out_printf(o, "%s: %s\n", d->verdict == VERDICT_LOSS ? "LOSS" : "NO LOSS", style_kb(buf, d->loss_kb));
	for (size_t i = 0; i < d->findings.n; i++) {
		out_printf(o, "%s: ", finding_rules[d->findings.at[i].id].id);
		diff_finding_message(d, &d->findings.at[i], o);
		out_byte(o, '\n');
	}
}
