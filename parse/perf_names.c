/* SPDX-License-Identifier: MIT */
#include "parse/perf_names.h"

#include "base/mem.h"

static const char *const headings[] = {
	"time", "socket", "die", "core",     "cache", "cluster",
	"node", "cpu",    "CPU", "comm-pid", "cpus",  "ctrs",
};

struct slice perf_names_of_interval(struct slice s)
{
	for (;;) {
		struct cut c = slice_cut_word(s);
		size_t i = 0, n = sizeof(headings) / sizeof(headings[0]);

		while (i < n && !slice_eq_str(c.head, headings[i]))
			i++;
		if (i == n)
			return s;
		s = c.tail;
	}
}

/* Does a name end in front of these blanks? */
static bool is_border(struct slice s)
{
	size_t blanks = 0;

	while (blanks < s.n && is_blank(s.p[blanks]))
		blanks++;
	struct slice next = slice_skip(s, blanks);
	return blanks > 1 || (next.n > 1 && *next.p == '%' && is_blank(next.p[1]));
}

/* The end of the name at the front of s: "%  tma_retiring" begins with blanks of its own. */
static size_t name_end(struct slice s)
{
	size_t i = 0;

	if (*s.p == '%')
		for (i = 1; i < s.n && is_blank(s.p[i]);)
			i++;
	while (i < s.n && !(is_blank(s.p[i]) && is_border(slice_skip(s, i))))
		i++;
	return i;
}

bool perf_names_add(struct perf_names *list, struct slice name)
{
	if (name.n > PERF_NAME_MAX)
		return false;
	list->at = mem_grow(list->at, &list->cap, list->n + 1, sizeof(*list->at));
	list->at[list->n++] = name;
	return true;
}

void perf_names_split(struct slice line, struct perf_names *ret)
{
	ret->n = 0;
	for (struct slice s = slice_trim(line); s.n;) {
		size_t end = name_end(s);

		if (!perf_names_add(ret, slice_first(s, end))) {
			ret->n = 0;
			return;
		}
		s = slice_ltrim(slice_skip(s, end));
	}
}
