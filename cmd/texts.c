/* SPDX-License-Identifier: MIT */
/* What --help, the man page and the completions say of each command. */
#include "cmd/commands.h"

static const struct example report_examples[] = {
	{ "hugecov report self", "A first look: at this very program." },
	{ "hugecov report 4711", "A live process. Your own needs no root." },
	{ "sudo hugecov report $(pidof postgres)", "All its processes as one set, shared memory "
						   "counted once." },
	{ "hugecov report smaps.txt", "A dump that somebody pasted or mailed." },
	{ "ssh host cat /proc/4711/smaps | hugecov report -", "A process of another machine." },
	{ "hugecov report --format json --output main.json 4711", "A document to keep, and to "
								  "compare with later." },
	{ "hugecov report --class anon --top 10 --sort rss 4711", "The ten largest pieces of "
								  "anonymous memory." },
	{ 0 }
};

static const struct example diff_examples[] = {
	{ "hugecov diff before.txt after.txt", "Two dumps: were huge pages lost, or no longer "
					       "needed?" },
	{ "hugecov diff main.json 4711", "An earlier report against the live process." },
	{ "hugecov diff <(ssh a cat /proc/9/smaps) <(ssh b cat /proc/9/smaps)",
	  "Two machines, without files." },
	{ "hugecov diff --exit-code before/ after/", "For scripts: status 1 when huge pages were "
						     "lost." },
	{ "hugecov diff --before a1 a2 a3 --after b1 b2 b3", "Several runs a side: medians, spread "
							     "and significance." },
	{ 0 }
};

static const struct example check_examples[] = {
	{ "hugecov check $(pidof server)", "What is measured now, as rules to copy." },
	{ "hugecov check --require 'coverage >= 90%' $(pidof server)", "One rule." },
	{ "hugecov check --baseline main.json --require 'thp-loss == 0' 4711",
	  "No huge page may be lost since then." },
	{ "hugecov check --budget hugecov.json --format junit -o out.xml -- ./bench",
	  "Runs a command and judges it, for a CI server." },
	{ "hugecov check --budget hugecov.json --self-test",
	  "Can each rule fail, and can it pass?" },
	{ 0 }
};

static const struct example watch_examples[] = {
	{ "hugecov watch 4711", "The live view." },
	{ "hugecov watch --record run.ndjson --interval 500ms 4711", "Keeps what it shows." },
	{ "hugecov watch run.ndjson", "Replays it: step, jump, search." },
	{ "hugecov watch --batch --iterations 5 4711 | less", "One line a tick." },
	{ 0 }
};

static const struct example snap_examples[] = {
	{ "hugecov snap 4711 -o before", "A directory that report, diff and check read." },
	{ "hugecov snap 4711 -o server.tar.zst", "One file, to send to somebody." },
	{ "sudo hugecov snap --all-pids -o host.tar.xz", "Every process of the machine." },
	{ 0 }
};

const struct command_text command_texts[COMMAND_IDS] = {
	[COMMAND_REPORT] = {
		.usage = { "[OPTIONS] SOURCE..." },
		.summary = "where the huge pages are, where they are not, and why",
		.about = "Says how much memory is in huge pages, how much could be, where the rest "
			 "goes, and what to change.\n\n"
			 "SOURCE is a PID, self, a file, a directory or tar archive that holds "
			 "proc/ and sys/, or - for standard input. Files may be smaps, "
			 "smaps_rollup, meminfo, vmstat, output of perf stat, a kernel test robot "
			 "table, a lat_mem_rd table, JSON of an earlier report, or a saved mail "
			 "with one of them; what it is is found from the content. A file called 123 is ./123.\n\n"
			 "Several processes are one set, in which shared memory counts once. "
			 "smaps, meminfo and vmstat given together are one snapshot.",
		.examples = report_examples,
		.exit = "0 done, 2 could not.",
		.fates = true,
		.words = WORDS_SOURCE,
	},
	[COMMAND_DIFF] = {
		.usage = { "[OPTIONS] BEFORE AFTER", "[OPTIONS] --before A... --after B..." },
		.summary = "were huge pages lost, or no longer needed?",
		.about = "Compares two sources of comparable kinds: processes, snapshots, files, "
			 "reports kept as JSON, pipes. Memory that is no longer resident is not a "
			 "loss; a gain elsewhere hides none.\n\n"
			 "Mappings of one process at two times are paired by address, those of two "
			 "runs by kind, size and order. A process that has run another program since "
			 "(exec) is told, and paired like two runs.\n\n"
			 "Two snapshots of many processes are compared process by process: the same "
			 "one, else those of one name in the order of their PIDs. --pid chooses.\n\n"
			 "Several runs a side are compared by the median of each figure. Marked is "
			 "what chance would show in 1 of 20 cases at most, by Mann-Whitney U. Four "
			 "runs a side are the fewest that can tell.",
		.examples = diff_examples,
		.exit = "0 done, 1 only with --exit-code and when huge pages were lost, "
			"2 could not.",
		.words = WORDS_SOURCE,
	},
	[COMMAND_CHECK] = {
		.usage = { "[OPTIONS] SOURCE...", "--baseline BEFORE [OPTIONS] SOURCE",
			   "[OPTIONS] -- COMMAND ARGUMENTS" },
		.summary = "the gate for CI: fail when huge pages are lost, and only then",
		.about = "Judges rules like 'coverage >= 90%', 'needs-advice == 0' or, with a "
			 "baseline, 'thp-loss == 0'. Whatever cannot be measured is never a pass. "
			 "Without a rule it prints what is measured as rules to copy.\n\n"
			 "A rule is METRIC OP VALUE. METRIC is one of "
#define METRIC(id, name, unit, nature, better, formula) name ", "
#include "model/metrics.def"
#undef METRIC
			 "or the id of a finding (how many there are), delta.NAME of one of these "
			 "with a baseline, counters[NAME].delta, METRIC.percent of a robot table, "
			 "or a path into the report like totals.rss_kb. OP is < <= == != >= >. VALUE "
			 "is a number, which may end in %, kB, MiB or GiB.\n\n"
			 "Behind -- stands a command: it is run and judged at its peak and its end. "
			 "What it prints goes to standard error, unless --output takes the results "
			 "elsewhere. Its own failure is status 2.\n\n"
			 "Results are written to standard output, remarks to standard error. Each says "
			 "whether its rule may change from run to run of one program.",
		.examples = check_examples,
		.exit = "0 all rules hold, 1 a rule is broken, 2 could not measure.",
		.words = WORDS_SOURCE,
	},
	[COMMAND_WATCH] = {
		.usage = { "[OPTIONS] PID", "[OPTIONS] FILE.ndjson" },
		.summary = "the live view, and its recordings",
		.about = "Shows coverage and its history, mappings by cost with their huge-page "
			 "slots, and the kernel's THP counters as rates. Without a terminal, one "
			 "line a tick.\n\n"
			 "The target pays little: one pass over smaps a tick at most, less often "
			 "when that would use more of a CPU than --max-cpu. Nothing is written to "
			 "it.",
		.examples = watch_examples,
		.exit = "0 done, 3 the target ended, 2 could not.",
		.words = WORDS_PID,
	},
	[COMMAND_SNAP] = {
		.usage = { "[OPTIONS] PID... -o DIR",
			   "[OPTIONS] PID... -o FILE.tar[.gz|.xz|.zst]",
			   "[OPTIONS] --all-pids -o TARGET" },
		.summary = "save what the other commands need, to look at later or elsewhere",
		.about = "Saves processes and the system's memory files as plain files under proc/ "
			 "and sys/, with a manifest.json that says when, of what, and what could "
			 "not be read. Complete or not at all. Command lines are left out unless "
			 "asked for, environments always.\n\n"
			 "Only its owner can read it: it tells where a process has its memory. "
			 "Without hugecov, cp -r --parents makes the like (see hugecov(1)).",
		.examples = snap_examples,
		.exit = "0 done, 2 could not.",
		.words = WORDS_PID,
	},
};
