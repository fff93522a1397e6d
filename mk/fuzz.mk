# SPDX-License-Identifier: MIT
# Fuzzing needs clang: make fuzz FUZZ_SECONDS=600 [FUZZERS='smaps perf'] [FUZZ_JOBS=2] [FUZZ_CORPUS=DIR] [FUZZ_KEEP=DIR]
.PHONY: fuzz fuzz-build fuzz-run

FUZZ_SECONDS ?= 30
FUZZERS ?= $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))
export FUZZ_JOBS FUZZ_CORPUS FUZZ_KEEP

FUZZ_SHARED := $(patsubst %,$(B)/tests/fuzz/%.o,show judge looks schema schema_compile schema_files)

# The same targets without libFuzzer, for tests/e2e/test_fuzz_replay.py.
REPLAYS := $(patsubst tests/fuzz/fuzz_%.c,$(B)/tests/replay/%,$(wildcard tests/fuzz/fuzz_*.c))
$(B)/tests/replay/%: $(B)/tests/fuzz/fuzz_%.o $(B)/tests/fuzz/replay.o $(FUZZ_SHARED) $(LIB)
	$(call say,REPLAY)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

test-build: $(REPLAYS)
.SECONDARY: $(patsubst tests/fuzz/%.c,$(B)/tests/fuzz/%.o,$(wildcard tests/fuzz/*.c))
-include $(patsubst tests/fuzz/%.c,$(B)/tests/fuzz/%.d,$(wildcard tests/fuzz/*.c))

# The checker of schemas is tested too.
$(B)/tests/unit/test_schema: $(filter %schema.o %schema_compile.o %schema_files.o,$(FUZZ_SHARED))

ifeq ($(CONFIG),fuzz)
# What looks at the output is not what is explored: it is fast, and its branches teach nothing.
$(FUZZ_SHARED): private ALL_CFLAGS := $(filter-out -fsanitize=% -O1,$(ALL_CFLAGS)) -O2
$(B)/tests/fuzz/%: $(B)/tests/fuzz/fuzz_%.o $(FUZZ_SHARED) $(LIB)
	$(call say,FUZZ)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# The tool makes seeds: reports and recordings.
fuzz-build: $(FUZZERS:%=$(B)/tests/fuzz/%) $(B)/hugecov

fuzz-run: fuzz-build
	B=$(B) HUGECOV=$(CURDIR)/$(B)/hugecov python3 tests/fuzz/run.py $(FUZZ_SECONDS) $(FUZZERS)
endif

fuzz: ## run each fuzz target for FUZZ_SECONDS; needs clang
	$(MAKE) CONFIG=fuzz CC=clang CFLAGS='-O1 -g' fuzz-run FUZZERS='$(FUZZERS)'
