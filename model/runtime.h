/* SPDX-License-Identifier: MIT */
/*
 * Whose memory a mapping is: allocators and runtimes that have a switch of
 * their own for huge pages. Only what its name, a library of the process, or
 * a shape that nothing else has makes safe to say; else RUNTIME_NONE.
 */
#ifndef MODEL_RUNTIME_H
#define MODEL_RUNTIME_H

#include "model/model.h"

enum runtime {
	RUNTIME_NONE,
	RUNTIME_GLIBC, /* malloc: [heap], an arena, or a block of its own */
	RUNTIME_JEMALLOC,
	RUNTIME_TCMALLOC,
	RUNTIME_MIMALLOC,
	RUNTIME_GO,
	RUNTIME_JVM,
	RUNTIME_POSTGRES, /* its shared memory */
	RUNTIME_COUNT
};

/* Bits (1 << enum runtime) that the distinct names of the dump and comm show: model_init keeps them. */
unsigned runtime_find(const struct model *m);
/* Of mapping i; O(1). */
enum runtime runtime_of(const struct model *m, size_t i);
/* A stack as pthread_create() maps it: a guard without permissions touches it from below. */
bool runtime_is_thread_stack(const struct model *m, size_t i);

#endif
