/* SPDX-License-Identifier: MIT */
/*
 * What the fuzz targets share: bytes go through a parser, and what parses goes
 * through every renderer of every command that takes it, each output looked at
 * by looks.h. A target is one function of libFuzzer; `make fuzz` builds and
 * runs them, tests/fuzz/found keeps what once broke.
 */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stdint.h>
#include <stdlib.h>

#include "cmd/check.h"
#include "looks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input; what it takes turns by is made of it. */
struct slice fuzz_text(const uint8_t *data, size_t size);
/*
 * All renderers on each input would leave time for few inputs: one of n takes
 * its turn, which one the bytes of the input say. Each call is another throw.
 * When inputs are replayed (tests/fuzz/replay.c) it is always true.
 */
bool fuzz_turn(unsigned n);
extern bool fuzz_all;

/* The part up to a line "====", or all of it; *rest goes on behind it. false: there is no more. */
bool fuzz_part(struct slice *rest, struct slice *ret);
/* An empty one of a kind that is read from a file. */
struct snapshot fuzz_snapshot(enum source_kind kind);
/* Of a part; false: it does not parse. snapshot_free() it in any case. */
bool fuzz_smaps(struct slice text, struct snapshot *ret);
/* The bytes as a file that can be opened by name; the name is in path. Close the descriptor. */
enum { FUZZ_PATH = 64 };
int fuzz_file(struct slice bytes, char path[static FUZZ_PATH]);

/* What a command says of it on standard error. */
void fuzz_error(const struct err *e);

/*
 * One form of output and what must be true of it. `write` gets what
 * fuzz_forms() was given, and of two styles one; with the second the text
 * shows everything.
 */
struct form {
	void (*write)(struct out *o, const void *view, const struct text_style *style, bool all);
	void (*look)(struct slice text);
};
void fuzz_forms(const struct form *forms, size_t n, const void *view);

/* report and check of one snapshot. */
void fuzz_report(struct snapshot *s);
/* diff, and check against a baseline. */
void fuzz_diff(struct snapshot *before, struct snapshot *after);
/* report of several processes, diff of two such sets, and of several runs a side. */
void fuzz_set(struct snapshot *snaps, size_t n);
void fuzz_sets(struct snapshot *const side[SIDES], const size_t n[SIDES]);
struct runs;
void fuzz_runs(const struct runs *r); /* compared */
/* report and check of a counter source; with a second part a diff too. */
void fuzz_counters(enum source_kind kind, struct slice text);
/* What a command was given, by its name and whatever it holds. */
void fuzz_source(const char *path, const struct common_options *common, struct load_options o);

/*
 * The rules over what was read, through all forms of output; before NULL: no
 * baseline. The rules belong to the caller. self_test: the rules alone.
 */
void fuzz_check(struct load *after, struct counters_doc *docs, struct load *before,
		const struct gate_rules *rules);
void fuzz_self_test(const struct gate_rules *rules, struct arena *a);

#endif
