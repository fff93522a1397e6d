/* SPDX-License-Identifier: MIT */
/*
 * Every option of every command, once. Help, man page and completions are
 * made from these rows (cmd/help.c, tools/gendocs.c).
 */
#include "base/mem.h"
#include "cmd/commands.h"
#include "model/model.h"

#define COUNT(a)   (sizeof(a) / sizeof((a)[0]))
#define READING    (COMMAND_BIT(REPORT) | COMMAND_BIT(DIFF) | COMMAND_BIT(CHECK))
#define MAPPINGS   (READING | COMMAND_BIT(WATCH))

enum { HOUR_MS = 60 * 60 * 1000, DAY_MS = 24 * HOUR_MS };

/* ---- choices ---- */

static const struct opt_choice formats[] = {
	{ "text", FORMAT_TEXT, "for people" },
	{ "json", FORMAT_JSON, "one document with every number" },
	{ "csv", FORMAT_CSV, "one row a mapping or counter, for spreadsheets" },
	{ 0 }
};
static const struct opt_choice check_formats[] = {
	{ "text", FORMAT_TEXT, "for people" },
	{ "json", FORMAT_JSON, "one document with every number" },
	{ "junit", FORMAT_JUNIT, "JUnit XML, one test case a rule" },
	{ "github", FORMAT_GITHUB, "GitHub workflow annotations" },
	{ "markdown", FORMAT_MARKDOWN, "a table for a summary or a comment" },
	{ 0 }
};
static const struct opt_choice watch_formats[] = {
	{ "text", FORMAT_TEXT, "the live view; one line a tick when not on a terminal" },
	{ "json", FORMAT_JSON, "one JSON document a line (NDJSON)" },
	{ 0 }
};
static const struct opt_choice colors[] = {
	{ "auto", COLOR_AUTO, "on a terminal, unless NO_COLOR is set" },
	{ "always", COLOR_ALWAYS, "also into a pipe or file" },
	{ "never", COLOR_NEVER, "plain text" },
	{ 0 }
};
static const struct opt_choice policies[] = {
	{ "always", OPT_POLICY_ALWAYS, "all anonymous memory may be huge" },
	{ "madvise", OPT_POLICY_MADVISE, "only memory advised with MADV_HUGEPAGE" },
	{ "never", OPT_POLICY_NEVER, "none" },
	{ 0 }
};
static const struct opt_choice kinds[] = {
	{ "process", KIND_PROCESS, "a live process" },
	{ "snapshot", KIND_SNAPSHOT, "a directory or archive with proc/ and sys/" },
	{ "smaps", KIND_SMAPS, "/proc/PID/smaps" },
	{ "smaps_rollup", KIND_ROLLUP, "/proc/PID/smaps_rollup" },
	{ "meminfo", KIND_MEMINFO, "/proc/meminfo" },
	{ "vmstat", KIND_VMSTAT, "/proc/vmstat" },
	{ "node-meminfo", KIND_NODE_MEMINFO, "meminfo of a NUMA node" },
	{ "node-vmstat", KIND_NODE_VMSTAT, "vmstat of a NUMA node" },
	{ "perf-stat", KIND_PERF, "output of perf stat: text, CSV or JSON" },
	{ "lkp", KIND_LKP, "a kernel test robot table or mail" },
	{ "lkp-result", KIND_LKP_RESULT, "a raw result of the test robot: matrix.json, stats.json" },
	{ "lat_mem_rd", KIND_LAT, "a memory latency table of lmbench" },
	{ "report", KIND_REPORT, "JSON written by hugecov report" },
	{ 0 }
};
static const struct opt_choice classes[] = {
	{ "anon", OPT_CLASS_ANON, "private memory without a file: heap, stacks, malloc" },
	{ "shmem", OPT_CLASS_SHMEM, "shared memory and tmpfs" },
	{ "file", OPT_CLASS_FILE, "mapped files" },
	{ "hugetlb", OPT_CLASS_HUGETLB, "hugetlbfs, reserved huge pages" },
	{ "special", OPT_CLASS_SPECIAL, "devices, vdso and the like" },
	{ 0 }
};
static const struct opt_choice sorts[] = {
	{ "cost", SORT_COST, "resident memory that would be huge otherwise" },
	{ "address", SORT_ADDRESS, "where they lie" },
	{ "size", SORT_SIZE, "mapped size" },
	{ "rss", SORT_RSS, "resident memory" },
	{ "huge", SORT_HUGE, "memory in huge pages" },
	{ "slots", SORT_SLOTS, "aligned huge-page slots that are missing" },
	{ "name", SORT_NAME, "name of the mapping" },
	{ 0 }
};
static const struct opt_choice report_vmas[] = {
	{ "all", VMAS_ALL, "every mapping" },
	{ "findings", VMAS_FINDINGS, "those that a finding names" },
	{ "none", VMAS_NONE, "totals and findings only" },
	{ 0 }
};
static const struct opt_choice diff_vmas[] = {
	{ "all", VMAS_ALL, "every mapping" },
	{ "changed", VMAS_CHANGED, "without those that are as they were" },
	{ "none", VMAS_NONE, "totals and findings only" },
	{ 0 }
};
static const struct opt_choice bys[] = {
	{ "address", BY_ADDRESS, "one process at two times" },
	{ "identity", BY_IDENTITY, "two runs: by kind, size and order" },
	{ 0 }
};
static const struct opt_choice thp_offs[] = {
	{ "error", THP_OFF_ERROR, "nothing was measured: exit status 2" },
	{ "pass", THP_OFF_PASS, "say so and pass" },
	{ "fail", THP_OFF_FAIL, "fail like a broken rule" },
	{ 0 }
};

/* ---- rows ---- */

/*
 * One macro for each kind of argument, so that the compiler checks the type of
 * the target: letter, name, member of S, group, metavar, help, and what else
 * struct opt holds.
 */
#define ROW(l, n, k, type, m, g, meta, h, ...) \
	{ .letter = l, .name = n, .kind = k, .offset = OPT_AT(type, S, m), .group = GROUP_##g, \
	  .metavar = meta, .help = h, __VA_ARGS__ }
#define FLAG(l, n, m, g, h, ...)  ROW(l, n, OPT_FLAG, bool, m, g, NULL, h, __VA_ARGS__)
#define STRING(l, n, m, g, ...)   ROW(l, n, OPT_STRING, const char *, m, g, __VA_ARGS__)
#define STRINGS(l, n, m, g, ...)  ROW(l, n, OPT_STRINGS, struct words, m, g, __VA_ARGS__)
#define LIST(l, n, m, g, ...)     ROW(l, n, OPT_LIST, struct words, m, g, __VA_ARGS__)
#define NUMBER(l, n, m, g, ...)   ROW(l, n, OPT_NUMBER, uint64_t, m, g, __VA_ARGS__)
#define NUMBERS(l, n, m, g, ...)  ROW(l, n, OPT_NUMBERS, struct numbers, m, g, __VA_ARGS__)
#define SIZE(l, n, m, g, ...)     ROW(l, n, OPT_SIZE, uint64_t, m, g, __VA_ARGS__)
#define DURATION(l, n, m, g, ...) ROW(l, n, OPT_DURATION, uint64_t, m, g, __VA_ARGS__)
#define PERCENT(l, n, m, g, ...)  ROW(l, n, OPT_PERCENT, double, m, g, __VA_ARGS__)
#define CHOICE(l, n, m, g, ...)   ROW(l, n, OPT_CHOICE, int, m, g, __VA_ARGS__)
#define CHOICES(l, n, m, g, ...)  ROW(l, n, OPT_CHOICES, unsigned, m, g, __VA_ARGS__)

#define S struct common_options
static const struct opt common_rows[] = {
	STRING(0, "match", match, SELECT, "REGEX",
	       "Only mappings whose name matches this Perl-style pattern; unnamed memory is "
	       "[anon] here", .commands = MAPPINGS),
	CHOICES(0, "class", classes, SELECT, "LIST",
		"Only mappings of these classes, separated by commas", .choices = classes,
		.commands = MAPPINGS),
	SIZE(0, "min-size", min_size_kb, SELECT, "SIZE",
	     "Only mappings of at least this size: 512kB, 2MiB; a bare number is kB",
	     .commands = MAPPINGS),
	CHOICE(0, "sort", sort, SELECT, "KEY", "How mappings are ordered",
	       .choices = sorts, .commands = MAPPINGS),
	NUMBER('n', "top", top, SELECT, "N", "Show only the first N mappings", .min = 1,
	       .max = 1000000000, .commands = MAPPINGS),
	FLAG('a', "all", all, SELECT,
	     "Show everything, also what costs nothing or is only possible",
	     .commands = MAPPINGS),

	STRING('o', "output", output, OUTPUT, "FILE",
	       "Write there instead of standard output; complete or not at all",
	       .words = WORDS_FILE, .commands = MAPPINGS),
	FLAG(0, "kb", kb, OUTPUT, "Exact numbers in kB, not MiB", .commands = MAPPINGS),
	CHOICE(0, "color", color, OUTPUT, "WHEN", "Colour, which never says anything alone",
	       .choices = colors),

	STRING(0, "root", root, READ, "DIR", "Where proc/ and sys/ are looked up for a PID",
	       .words = WORDS_DIR),
	NUMBERS(0, "pid", pids, READ, "PID",
		"Only this process of a snapshot; may be repeated", .min = 1, .max = INT32_MAX,
		.commands = READING),
	CHOICE(0, "kind", kind, READ, "KIND",
	       "What the source is, when its content does not tell", .choices = kinds,
	       .commands = READING),
	CHOICE(0, "policy", policy, READ, "POLICY",
	       "The transparent huge page policy it ran under", .choices = policies,
	       .commands = MAPPINGS),
	SIZE(0, "pmd-size", pmd_size_kb, READ, "SIZE",
	     "Size of a PMD huge page, when the source does not tell", .min = PMD_KB_MIN,
	     .max = PMD_KB_MAX, .power_of_two = true, .commands = MAPPINGS),
	FLAG(0, "rollup", rollup, READ, "Read smaps_rollup: cheap, totals only",
	     .commands = READING),
	FLAG(0, "strict", strict, READ,
	     "Refuse what only looks like kernel output: quotes, cuts, wrapped or foreign lines",
	     .commands = READING),
	FLAG(0, "allow-partial", allow_partial, READ,
	     "Accept a process that ends while it is read, or may not be read",
	     .commands = READING | COMMAND_BIT(SNAP)),
};
#undef S

#define S struct report_options
static const struct opt report_rows[] = {
	FLAG(0, "each", each, COMMAND,
	     "Report several processes one after the other, not as one set"),
	FLAG(0, "split", split, COMMAND, "Report each of several dumps in one file"),
	CHOICE('f', "format", common.format, OUTPUT, "FORMAT", "Form of the output",
	       .choices = formats),
	CHOICE(0, "vmas", vmas, OUTPUT, "WHICH", "Mappings in JSON", .choices = report_vmas),
};
#undef S

#define S struct diff_options
static const struct opt diff_rows[] = {
	LIST(0, "before", before, COMMAND, "SOURCE...",
	     "Several runs of the one side, up to the next option", .words = WORDS_SOURCE),
	LIST(0, "after", after, COMMAND, "SOURCE...", "Several runs of the other side",
	     .words = WORDS_SOURCE),
	CHOICE(0, "by", by, COMMAND, "HOW", "How mappings are paired, if not as the data suggest",
	       .choices = bys),
	FLAG(0, "exit-code", exit_code, COMMAND, "Exit with status 1 when huge pages were lost"),
	FLAG(0, "allow-unlike", allow_unlike, COMMAND,
	     "Compare although page size, huge page size or policy differ"),
	CHOICE('f', "format", common.format, OUTPUT, "FORMAT", "Form of the output",
	       .choices = formats),
	CHOICE(0, "vmas", vmas, OUTPUT, "WHICH", "Mappings in JSON", .choices = diff_vmas),
};
#undef S

#define S struct check_options
static const struct opt check_rows[] = {
	STRINGS('r', "require", require, COMMAND, "RULE",
		"A rule, 'METRIC OP VALUE'; may be repeated"),
	STRING('b', "budget", budget, COMMAND, "FILE", "A budget file of rules",
	       .words = WORDS_FILE),
	STRING(0, "baseline", baseline, COMMAND, "SOURCE",
	       "Compare with this earlier source: for thp-loss and delta rules",
	       .words = WORDS_SOURCE),
	FLAG(0, "each", each, COMMAND, "Judge several sources one by one, not together"),
	DURATION(0, "settle", settle_ms, COMMAND, "TIME",
		 "Wait at most this long until coverage is stable", .min = 1, .max = DAY_MS),
	NUMBER(0, "samples", samples, COMMAND, "N", "Judge the median of N readings", .min = 1,
	       .max = 1000),
	CHOICE(0, "if-thp-off", if_thp_off, COMMAND, "VERDICT",
	       "What a host whose policy is never means", .choices = thp_offs),
	FLAG(0, "allow-unlike", allow_unlike, COMMAND,
	     "Compare although page size, huge page size or policy differ"),
	STRING(0, "update-budget", update_budget, COMMAND, "FILE",
	       "Write the rules that hold now into a budget file", .words = WORDS_FILE),
	PERCENT(0, "margin", margin, COMMAND, "PERCENT", "Room that --update-budget leaves",
		.max = 100),
	FLAG(0, "self-test", self_test, COMMAND, "Prove that each rule can fail and can pass"),
	CHOICE('f', "format", common.format, OUTPUT, "FORMAT", "Form of the output",
	       .choices = check_formats),
};
#undef S

#define S struct watch_options
static const struct opt watch_rows[] = {
	DURATION('i', "interval", interval_ms, COMMAND, "TIME",
		 "Time between two looks: 500ms, 1s, 2m", .min = 50, .max = DAY_MS),
	FLAG('b', "batch", batch, COMMAND, "One line a tick, without a screen"),
	NUMBER(0, "iterations", iterations, COMMAND, "N", "Stop after N ticks", .min = 1,
	       .max = UINT32_MAX),
	STRING(0, "record", record, COMMAND, "FILE",
	       "Keep what is seen, to be replayed with hugecov watch FILE", .words = WORDS_FILE),
	SIZE(0, "record-limit", record_limit_kb, COMMAND, "SIZE", "Stop recording at this size",
	     .min = 64, .max = UINT64_C(1) << 40),
	PERCENT(0, "max-cpu", max_cpu, COMMAND, "PERCENT",
		"Look less often rather than use more of one CPU", .max = 100),
	CHOICE('f', "format", common.format, OUTPUT, "FORMAT", "Form of the output",
	       .choices = watch_formats),
};
#undef S

#define S struct snap_options
static const struct opt snap_rows[] = {
	STRING('o', "output", target, COMMAND, "TARGET",
	       "The directory to make, or FILE.tar, .tar.gz, .tar.xz, .tar.zst",
	       .words = WORDS_FILE),
	FLAG(0, "all-pids", all_pids, COMMAND, "Every process that may be read"),
	FLAG(0, "cmdline", cmdline, COMMAND, "Save command lines too; they may hold secrets"),
	FLAG(0, "force", force, COMMAND, "Replace an existing target"),
};
#undef S

/* ---- defaults ---- */

#define COMMON_DEFAULTS .common = { .root = "/" }
static const struct report_options report_defaults = { COMMON_DEFAULTS };
static const struct diff_options diff_defaults = { COMMON_DEFAULTS };
static const struct check_options check_defaults = { COMMON_DEFAULTS, .samples = 1 };
static const struct watch_options watch_defaults = { COMMON_DEFAULTS, .interval_ms = 1000,
						     .max_cpu = 2 };
static const struct snap_options snap_defaults = { COMMON_DEFAULTS };

static const struct {
	const char *name;
	struct opt_table rows;
	const void *defaults;
	size_t size;
} sets[COMMAND_IDS] = {
#define SET(ID, name) [COMMAND_##ID] = { #name, { name##_rows, COUNT(name##_rows) }, \
					 &name##_defaults, sizeof(name##_defaults) }
	SET(REPORT, report), SET(DIFF, diff), SET(CHECK, check), SET(WATCH, watch), SET(SNAP, snap),
};

struct opt_set option_set(enum command_id id)
{
	return (struct opt_set){
		.command = sets[id].name,
		.command_bit = 1u << id,
		.tables = { sets[id].rows, { common_rows, COUNT(common_rows) } },
		.rest_is_command = id == COMMAND_CHECK,
	};
}

void *options_new(enum command_id id)
{
	return memcpy(mem_alloc(sets[id].size), sets[id].defaults, sets[id].size);
}
