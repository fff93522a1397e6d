# SPDX-License-Identifier: MIT
# Fuzzing needs clang: make fuzz FUZZ_SECONDS=600 [FUZZERS='smaps perf']
.PHONY: fuzz fuzz-build fuzz-run

FUZZ_SECONDS ?= 30
FUZZERS ?= $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

# The same targets without libFuzzer, for tests/e2e/test_fuzz_replay.py.
REPLAYS := $(patsubst tests/fuzz/fuzz_%.c,$(B)/tests/replay/%,$(wildcard tests/fuzz/fuzz_*.c))
$(B)/tests/replay/%: tests/fuzz/fuzz_%.c tests/fuzz/replay.c tests/fuzz/fuzz.h $(LIB)
	$(call say,REPLAY)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -Itests/fuzz $(ALL_LDFLAGS) -o $@ $(filter %.c %.a,$^) $(LIBS)

test-build: $(REPLAYS)

ifeq ($(CONFIG),fuzz)
$(B)/tests/fuzz/%: tests/fuzz/fuzz_%.c $(LIB)
	$(call say,FUZZ)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -Itests/fuzz -fsanitize=fuzzer $(ALL_LDFLAGS) -o $@ $< $(LIB) $(LIBS)

fuzz-build: $(FUZZERS:%=$(B)/tests/fuzz/%)

fuzz-run: fuzz-build
	B=$(B) python3 tests/fuzz/run.py $(FUZZ_SECONDS) $(FUZZERS)
endif

fuzz: ## run each fuzz target for FUZZ_SECONDS; needs clang
	$(MAKE) CONFIG=fuzz CC=clang CFLAGS='-O1 -g' fuzz-run FUZZERS='$(FUZZERS)'
