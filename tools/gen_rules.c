/* SPDX-License-Identifier: MIT */
/* docs/rules.md: what a rule of hugecov check may name, from model/metrics.def and the findings. */
#include "model/rule.h"
#include "tools/gendocs.h"

static const char top[] =
	"# Rules\n"
	"\n"
	"Made from the tables of metrics and findings by `make docs`. A rule is `METRIC OP VALUE`, "
	"on a command line (`hugecov check --require`) or in a budget file (see [ci.md](ci.md)).\n"
	"\n"
	"OP is one of `<` `<=` `==` `!=` `>=` `>`, the last one in the text; blanks are optional. "
	"VALUE is a number with an optional sign and one of `%`, `kB`, `MiB`, `GiB`, `TiB`; 1024 "
	"kB "
	"are a MiB. A fraction needs `%`; a size without a unit is in kB.\n"
	"\n"
	"*Nature* says whether another run of one program gives the same verdict: *layout* does, "
	"*placement* depends on addresses, *delivery* on what the kernel happened to do.\n"
	"\n"
	"METRIC is the first of these that it is.\n"
	"\n"
	"## Short names\n"
	"\n"
	"Over private anonymous memory unless a selector, or `--class`, names classes. Of several "
	"processes shared memory counts once.\n"
	"\n"
	"| name | is | unit | nature | better |\n"
	"|---|---|---|---|---|\n";

static const char findings[] =
	"\n"
	"`thp_loss_kb` needs a baseline and is over all classes.\n"
	"\n"
	"## Findings\n"
	"\n"
	"The id of a [finding](findings.md): how many of certainty `likely` or better and severity "
	"`low` or better there are, those with `same_as` too. With a selector only findings about "
	"a selected mapping count. Where the input cannot show such a finding (no VmFlags, no Rss, "
	"an unknown policy) the number is not 0 but unknown.\n"
	"\n"
	"| id | needs a baseline | nature of the rule |\n"
	"|---|---|---|\n";

static const char rest[] =
	"\n"
	"`split-mapping` is never more than possible and `policy-off` is left to `--if-thp-off`: "
	"rules about them can never fail, as `--self-test` says.\n"
	"\n"
	"## Differences\n"
	"\n"
	"With a baseline `delta.NAME` for a short name: after - before. `coverage`, `share` and "
	"`delivered` differ by points of a percent (`delta.coverage >= -5%`); for the others a "
	"bare "
	"number or a size is absolute and `%` is of the value before.\n"
	"\n"
	"## Counters\n"
	"\n"
	"`counters[NAME].before`, `.after`, `.delta`, `.percent`, of two snapshots or from the "
	"start "
	"to the end of a command: `counters[vmstat.thp_fault_alloc].delta`, "
	"`counters[perf.dTLB-load-misses].percent`. NAME ends at the last `]`.\n"
	"\n"
	"## Rows of a robot table\n"
	"\n"
	"`METRIC.base`, `METRIC.head`, `METRIC.percent`, split at the last dot, of the last "
	"column: "
	"`meminfo.AnonHugePages.percent >= -5%`. When several tables hold the row, a selector with "
	"`table` chooses.\n"
	"\n"
	"## Numbers of the report\n"
	"\n"
	"A dotted path to a number of `hugecov report --format json`: "
	"`totals.waterfall.shmem.coverage`, `system.vmstat.thp_split_page`, `vmas.0.smaps.Rss` "
	"(elements by number from 0).\n";

static void metric_row(struct out *o, const struct metric *m)
{
	out_printf(o, "| `%s` | %s | %s | %s | %s |\n", m->name, m->formula, unit_names[m->unit],
		   nature_names[m->nature], m->better == BETTER_UP ? "more" : "less");
}

void gen_rules(struct out *o)
{
	out_str(o, top);
	for (int i = 0; i < METRICS; i++)
		metric_row(o, &metrics[i]);
	out_str(o, findings);
	for (int i = 0; i < FINDING_IDS; i++)
		out_printf(o, "| `%s` | %s | %s |\n", finding_rules[i].id,
			   i >= FINDING_THP_LOSS ? "yes" : "",
			   nature_names[finding_rule_nature((enum finding_id)i)]);
	out_str(o, rest);
}
