/* SPDX-License-Identifier: MIT */
/*
 * Which members of an archive are read, and where its tree begins. Names are
 * judged here and nowhere else; no archive library is needed for it.
 */
#ifndef SOURCE_ARCHIVE_SELECT_H
#define SOURCE_ARCHIVE_SELECT_H

#include "base/err.h"
#include "base/mem.h"
#include "base/slice.h"
#include "source/internal.h"

/*
 * Limits. A full tree of 5,000 processes is about 40,000 members of interest,
 * and a smaps of 65,530 mappings (vm.max_map_count) is 49 MB; the most regular
 * smaps packs 420 times (xz), a usual one 40 times.
 */
enum {
	ARCHIVE_MEMBERS_MAX = 1000000,         /* headers read, wanted or not */
	ARCHIVE_MEMBER_MAX = 1 << 30,          /* bytes of one wanted member */
	ARCHIVE_RATIO_MAX = 500,               /* wanted bytes to bytes of the archive ... */
	ARCHIVE_RATIO_FREE = 64 * 1024 * 1024, /* ... beyond these */
	ARCHIVE_STREAM_FREE = 1 << 30,         /* the same of all bytes, also of others */
};
static const uint64_t ARCHIVE_WANTED_MAX = 4ULL << 30;  /* bytes of all wanted members */
static const uint64_t ARCHIVE_STREAM_MAX = 64ULL << 30; /* bytes unpacked, also of others */

/* Lower ones decide where the tree begins. */
enum role {
	ROLE_TREE,      /* "proc/7/smaps", "sys/..." */
	ROLE_FLAT,      /* "smaps" of a flat directory */
	ROLE_COMPANION, /* "manifest.json", "comm": read when it stands beside one of those */
	ROLE_NONE,
};

/* A wanted member, as found: its tree may turn out not to be the one. */
struct candidate {
	struct slice raw;  /* its whole name, without "./" */
	size_t prefix;     /* bytes of `raw` before the tree begins, with the slash */
	unsigned depth;    /* components of the prefix */
	enum role role;
	struct slice link; /* whole name of the member that holds the bytes, or empty */
	struct slice data;
	size_t order;      /* place in the archive: of two with one name the later counts */
};

/*
 * Makes "a/./b//c" of "./a//b/c" into `a`. -1 for an absolute name, for "..",
 * for an empty one, with a sentence in `e`.
 */
int archive_name(struct slice name, struct arena *a, struct slice *ret, struct err *e);
/*
 * Where a link of member `from` leads, by the same rules. A symbolic one starts
 * at the directory of `from`, and may hold "..".
 */
int archive_link(struct slice from, struct slice target, bool symbolic, struct arena *a,
		 struct slice *ret, struct err *e);
/* -1 with: member "NAME" WHY; nothing of the archive was read. */
int archive_refuse(struct slice name, const char *why, struct err *e);
/* Is this (clean) name one to read? Fills raw, prefix, depth, role. */
bool archive_wants(struct slice name, struct candidate *ret);
/*
 * Resolves links, takes the outermost tree (one in proc/ and sys/ before a
 * flat one) and gives its members, sorted by name, without the prefix.
 * -1: nothing wanted at all, two trees side by side, a link to nothing.
 */
int archive_choose(struct candidate *all, size_t n, struct arena *a, struct member **ret,
		   size_t *ret_n, struct err *e);

#endif
