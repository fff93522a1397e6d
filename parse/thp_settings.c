/* SPDX-License-Identifier: MIT */
#include "parse/thp_settings.h"

#include "base/num.h"

struct slice thp_bracketed(struct slice text)
{
	struct cut open = slice_cut(text, '[');
	struct cut close = slice_cut(open.tail, ']');

	return open.ok && close.ok ? slice_trim(close.head) : slice_trim(text);
}

static void *grown(struct arena *a, void *old, size_t n, size_t size)
{
	/* By powers of two; the old array stays in the arena. */
	if (n & (n - 1) || (n == 0 && old))
		return old;
	void *p = arena_array(a, n ? n * 2 : 1, size);
	if (n)
		memcpy(p, old, n * size);
	return p;
}

/* The kernel has ten sizes and some forty files of each; what a stranger's tree has above this is passed over. */
enum { SIZES_MAX = 64, FILES_MAX = 512, NAME_BYTES_MAX = 128 };

/* Of two files of one name (hugepages-64kB and -064kB are one size) the first counts. */
static void append(struct thp_setting **list, size_t *n, struct arena *a, struct slice file, struct slice text)
{
	for (size_t i = 0; i < *n; i++)
		if (slice_eq((*list)[i].file, file))
			return;
	if (*n == FILES_MAX)
		return;
	struct thp_setting x = { .file = arena_copy(a, file), .value = thp_bracketed(text) };

	x.number = num_u64(x.value, &x.n);
	*list = grown(a, *list, *n, sizeof(**list));
	(*list)[(*n)++] = x;
}

/* NULL: there are too many. */
static struct thp_size *size_for(struct thp_settings *s, struct arena *a, uint64_t kb)
{
	size_t i = 0;

	while (i < s->sizes_n && s->sizes[i].kb < kb)
		i++;
	if (i < s->sizes_n && s->sizes[i].kb == kb)
		return &s->sizes[i];
	if (s->sizes_n == SIZES_MAX)
		return NULL;
	s->sizes = grown(a, s->sizes, s->sizes_n, sizeof(*s->sizes));
	memmove(&s->sizes[i + 1], &s->sizes[i], (s->sizes_n - i) * sizeof(*s->sizes));
	s->sizes[i] = (struct thp_size){ .kb = kb };
	s->sizes_n++;
	return &s->sizes[i];
}

/* Of other bytes or a longer name the kernel has no file, and a saved moment makes files of these names. */
static bool is_file(struct slice path)
{
	for (size_t i = 0; i < path.n; i++)
		if (!is_alpha(path.p[i]) && !is_digit(path.p[i]) && !memchr("_-./", path.p[i], 4))
			return false;
	return path.n <= NAME_BYTES_MAX && slice_stays_below(path);
}

/* "hugepages-2048kB/stats/nr_anon": true with the size and what is behind it. */
static bool split_size(struct slice path, uint64_t *ret_kb, struct slice *ret_rest)
{
	if (!slice_starts(path, SLICE("hugepages-")))
		return false;
	path = slice_skip(path, 10);
	if (num_take_u64(&path, ret_kb) != NUM_OK || !slice_starts(path, SLICE("kB/")))
		return false;
	*ret_rest = slice_skip(path, 3);
	return true;
}

void thp_settings_add(struct thp_settings *s, struct arena *a, struct slice path, struct slice text)
{
	struct slice rest;
	uint64_t kb;

	if (!is_file(path))
		return;
	/* One line; a saved file may hold anything. */
	text = slice_trim(slice_cut(slice_cut_line(text).head, '\0').head);
	if (!split_size(path, &kb, &rest)) {
		append(&s->at, &s->n, a, path, text);
		return;
	}
	struct thp_size *size = size_for(s, a, kb);
	if (!size)
		return;
	if (slice_eq(rest, SLICE("enabled")))
		size->enabled = thp_bracketed(text);
	else if (slice_eq(rest, SLICE("shmem_enabled")))
		size->shmem_enabled = thp_bracketed(text);
	else if (slice_starts(rest, SLICE("stats/")))
		append(&size->stats, &size->stats_n, a, slice_skip(rest, 6), text);
}

struct slice thp_setting(const struct thp_settings *s, const char *file)
{
	for (size_t i = 0; s && i < s->n; i++)
		if (slice_eq_str(s->at[i].file, file))
			return s->at[i].value;
	return slice_of(NULL, 0);
}

const struct thp_size *thp_size_of(const struct thp_settings *s, uint64_t kb)
{
	for (size_t i = 0; s && i < s->sizes_n; i++)
		if (s->sizes[i].kb == kb)
			return &s->sizes[i];
	return NULL;
}
