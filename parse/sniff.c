/* SPDX-License-Identifier: MIT */
#include "parse/sniff.h"

#include "base/num.h"
#include "parse/binary.h"
#include "parse/lat.h"
#include "parse/lkp.h"
#include "parse/lkp_result.h"
#include "parse/mail.h"
#include "parse/perf.h"
#include "parse/smaps.h"
#include "parse/smaps_line.h"

/* What the lines of the input show, counted in one pass. */
struct signs {
	unsigned ranges;      /* "7f…-7f… rw-p" */
	unsigned smaps_keys;  /* "Rss:   4 kB" and the like */
	unsigned rollup;
	unsigned meminfo_keys, meminfo_sure, node_lines;
	unsigned vmstat_names, vmstat_events;
	unsigned diff_marks;  /* "@@ -1,2 +1,2 @@" */
	unsigned numa_maps;   /* "7f… default anon=1" */
	unsigned nul, lines;
	bool vmstat_command;  /* the header of vmstat(8) */
};

static bool one_of(struct slice s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (slice_eq_str(s, list[i]))
			return true;
	return false;
}

static const char *const meminfo_keys[] = {
	"MemTotal", "MemFree", "MemUsed", "MemAvailable", "Buffers", "Cached", "SwapCached", "Active", "Inactive",
	"Active(anon)", "Inactive(anon)", "SwapTotal", "SwapFree", "AnonPages", "Mapped", "Shmem", "Slab",
	"PageTables", "AnonHugePages", "ShmemHugePages", "FileHugePages", "HugePages_Total", "Hugepagesize",
};

/* What no other file has: of an excerpt (grep -i huge), two lines with one of these are enough. */
static const char *const meminfo_only[] = {
	"MemTotal", "AnonPages", "ShmemHugePages", "FileHugePages", "HugePages_Total", "Hugepagesize",
};

static const char *const vmstat_events[] = {
	"pgpgin", "pgpgout", "pswpin", "pgfault", "pgmajfault", "allocstall",
};

#define ONE_OF(s, list) one_of(s, list, sizeof(list) / sizeof(*(list)))

/* Web pages have no-break spaces in front of numbers. */
static struct slice trim_web(struct slice s)
{
	s = slice_trim(s);
	while (slice_starts(s, SLICE("\xc2\xa0")))
		s = slice_trim(slice_skip(s, 2));
	return s;
}

static void look_at_pair(struct signs *g, struct slice key, struct slice value)
{
	value = trim_web(value);
	bool number = value.n && is_digit(*value.p);

	if (smaps_field_of(key) != SMAPS_FIELDS || slice_eq(key, SLICE("VmFlags")))
		g->smaps_keys += number || slice_eq(key, SLICE("VmFlags")) || value.n == 0;
	g->meminfo_keys += number && ONE_OF(key, meminfo_keys);
	g->meminfo_sure += number && ONE_OF(key, meminfo_only);
}

static void look_at_words(struct signs *g, struct slice line)
{
	struct cut name = slice_cut_word(line);
	struct slice value = slice_trim(name.tail);
	uint64_t n;

	if (num_u64(value, &n)) {
		bool of_host = slice_starts(name.head, SLICE("thp_")) || slice_starts(name.head, SLICE("compact_"));

		g->vmstat_names += of_host || slice_starts(name.head, SLICE("nr_")) ||
				   slice_starts(name.head, SLICE("numa_")) ||
				   slice_starts(name.head, SLICE("workingset_"));
		g->vmstat_events += of_host || ONE_OF(name.head, vmstat_events);
	}
	g->vmstat_command |= slice_starts(line, SLICE("procs ")) && slice_has(line, SLICE("memory"));
	g->numa_maps += is_hex(*line.p) && (slice_has(line, SLICE(" default ")) || slice_has(line, SLICE(" bind:"))) &&
			slice_has(line, SLICE("N0="));
}

static void look_at(struct signs *g, struct slice line)
{
	struct slice key, value;

	g->lines++;
	g->diff_marks += slice_starts(line, SLICE("@@ -"));
	if (line.n && memchr(line.p, '\0', line.n))
		g->nul++;
	line_unquote(&line);
	line = slice_rtrim(line);
	if (line.n == 0)
		return;
	if (slice_starts(line, SLICE("Node ")) && slice_has(line, SLICE(":"))) {
		struct cut word = slice_cut_word(slice_skip(line, 5));

		g->node_lines += word.ok;
		line = slice_ltrim(word.tail);
		if (line.n == 0)
			return;
	}
	switch (line_kind(line, &key, &value)) {
	case LINE_HEADER:
		g->ranges++;
		g->rollup += slice_ends(line, SLICE("[rollup]"));
		break;
	case LINE_FIELD:
		look_at_pair(g, key, value);
		break;
	default:
		look_at_words(g, line);
	}
}

static struct signs look(struct slice head)
{
	struct signs g = { 0 };

	for (struct cut c = slice_cut_line(head); c.head.n || c.ok; c = slice_cut_line(c.tail))
		look_at(&g, c.head);
	return g;
}

/* ---- the kinds ---- */

static struct slice first_text(struct slice head)
{
	while (head.n && (is_blank(*head.p) || *head.p == '\n' || *head.p == '\r'))
		head = slice_skip(head, 1);
	return head;
}

static enum source_kind looks_hugecov(struct slice head, const struct signs *g)
{
	struct slice text = first_text(head);

	(void)g;
	return text.n && *text.p == '{' && slice_has(slice_first(text, 200), SLICE("\"hugecov.report/")) ? KIND_REPORT
													 : KIND_UNKNOWN;
}

static enum source_kind looks_smaps(struct slice head, const struct signs *g)
{
	(void)head;
	if (!g->ranges || !g->smaps_keys)
		return KIND_UNKNOWN;
	return g->rollup && g->ranges == g->rollup ? KIND_ROLLUP : KIND_SMAPS;
}

static enum source_kind looks_meminfo(struct slice head, const struct signs *g)
{
	(void)head;
	if (g->ranges || (g->meminfo_keys < 3 && (g->meminfo_keys < 2 || !g->meminfo_sure)))
		return KIND_UNKNOWN;
	return g->node_lines ? KIND_NODE_MEMINFO : KIND_MEMINFO;
}

static enum source_kind looks_vmstat(struct slice head, const struct signs *g)
{
	(void)head;
	if (g->vmstat_names < 3 && (g->vmstat_names < 2 || !g->vmstat_events))
		return KIND_UNKNOWN;
	/* Per node there are gauges and numa events, but no page faults or pages in and out. */
	return g->vmstat_events ? KIND_VMSTAT : KIND_NODE_VMSTAT;
}

static enum source_kind looks_lkp(struct slice head, const struct signs *g)
{
	return g->ranges == 0 && lkp_looks(head) ? KIND_LKP : KIND_UNKNOWN;
}

static enum source_kind looks_result(struct slice head, const struct signs *g)
{
	(void)g;
	return lkp_result_looks(head) ? KIND_LKP_RESULT : KIND_UNKNOWN;
}

static enum source_kind looks_lat(struct slice head, const struct signs *g)
{
	return g->ranges == 0 && lat_looks(head) ? KIND_LAT : KIND_UNKNOWN;
}

static enum source_kind looks_perf(struct slice head, const struct signs *g)
{
	return !g->ranges && perf_looks(head) ? KIND_PERF : KIND_UNKNOWN;
}

static enum source_kind (*const sniff_rows[])(struct slice, const struct signs *) = {
	looks_hugecov, looks_smaps, looks_meminfo, looks_vmstat, looks_perf, looks_result,
	looks_lkp, looks_lat,
};

/* ---- refusals ---- */

#define BY_KIND "--kind KIND reads it as one anyway; hugecov report --help lists the kinds"

/* What it looks like, and what is missing; a hint where there is something to try. */
static void refuse_text(struct slice head, const struct signs *g, struct err *e)
{
	struct slice text = first_text(head);
	const char *near = lkp_missing(head) ? lkp_missing(head) : lat_missing(head);
	const char *perf = perf_missing(head);

	if (near) {
		err_set(e, ERR_KIND, "%s", near);
		err_hint(e, BY_KIND);
	} else if (g->diff_marks) {
		err_set(e, ERR_KIND, "this is a diff, not a dump: give the two files to hugecov diff");
	} else if (slice_starts(text, SLICE("{")) && slice_has(slice_first(text, 200), SLICE("\"hugecov."))) {
		err_set(e, ERR_KIND, "this is another document of hugecov: only reports "
				     "(hugecov.report/1) are read back");
	} else if (g->ranges) {
		err_set(e, ERR_KIND, "this looks like /proc/PID/maps: it has mappings but no Rss, AnonHugePages "
				     "and the like; smaps has them");
	} else if (g->numa_maps) {
		err_set(e, ERR_KIND, "this looks like /proc/PID/numa_maps: it does not tell huge pages; smaps does");
	} else if (g->smaps_keys) {
		err_set(e, ERR_KIND, "this looks like a part of smaps without any mapping line (7f…-7f… rw-p …)");
	} else if (g->vmstat_command) {
		err_set(e, ERR_KIND, "this is output of the vmstat command; /proc/vmstat has the THP counters");
	} else if (mail_looks_base64(text)) {
		err_set(e, ERR_KIND, "this is base64, as mails carry text");
		err_hint(e, "base64 -d FILE | hugecov report -    (the whole mail, with its headers, is read as "
			    "it is)");
	} else if (perf) {
		err_set(e, ERR_KIND, "this is %s", perf);
		err_hint(e, BY_KIND);
	} else {
		err_set(e, ERR_KIND, "this is none of the files hugecov reads: no mapping lines of smaps, no "
				     "MemTotal of meminfo, no nr_free_pages of vmstat, no perf stat output, no robot "
				     "or latency table");
		err_hint(e, BY_KIND);
	}
}

static enum source_kind refuse(struct slice head, const struct signs *g, struct err *e)
{
	if (first_text(head).n == 0) {
		err_set(e, ERR_KIND, "the input is empty");
		err_hint(e, "The smaps of a zombie and of a kernel thread are: --kind smaps reads it as one");
	} else if (!binary_refuse(head, e)) {
		if (g->nul)
			err_set(e, ERR_KIND, "this is not text: it has bytes that no text has");
		else
			refuse_text(head, g, e);
	}
	return KIND_UNKNOWN;
}

/*
 * What most inputs are, seen without reading all of the head: a mapping and a
 * key of smaps in the first two lines. A rollup it is not, since there is a
 * mapping that is none; a diff would have an '@'.
 */
static bool begins_as_smaps(struct slice head)
{
	struct cut first = slice_cut_line(head);
	struct signs g = { 0 };

	look_at(&g, first.head);
	look_at(&g, slice_cut_line(first.tail).head);
	return g.ranges == 1 && g.smaps_keys == 1 && !g.rollup && !memchr(head.p, '@', head.n);
}

enum source_kind sniff(struct slice head, struct err *e)
{
	head = slice_first(head, SNIFF_BYTES);
	if (lkp_has_head(head)) /* whatever else a mail quotes: patches, mappings */
		return KIND_LKP;
	if (begins_as_smaps(head))
		return KIND_SMAPS;
	struct signs g = look(head);

	for (size_t i = 0; !g.diff_marks && i < sizeof(sniff_rows) / sizeof(*sniff_rows); i++) {
		enum source_kind kind = sniff_rows[i](head, &g);

		if (kind != KIND_UNKNOWN)
			return kind;
	}
	return refuse(head, &g, e);
}
