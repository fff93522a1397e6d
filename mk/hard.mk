# SPDX-License-Identifier: MIT
# The long versions of the tests of hostile input and hostile moments. Each part can be run alone.
HARD_PARTS := faults long lint valgrind fuzz
.PHONY: hard $(HARD_PARTS:%=hard-%)
HARD_FUZZ_SECONDS ?= 600

hard: test-build ## every fault in turn, long storms, big hostile files, all tests under valgrind, fuzzing
	$(Q)sh tools/hard.sh '$(MAKE)' $(HARD_PARTS)

hard-faults: test-build
	$(Q)$(MAKE) CONFIG=faults
	$(Q)B=$(B) HARD=1 python3 tests/run.py e2e/test_faults e2e/test_alloc_faults

hard-long: test-build
	$(Q)B=$(B) HARD=1 python3 tests/run.py e2e/test_moments e2e/test_memory \
		e2e/test_storms e2e/test_signals e2e/test_limits e2e/test_archives

hard-lint:
	$(Q)sh tools/lint.sh

hard-valgrind: test-build
	$(Q)B=$(B) CASES=$(CASES) VALGRIND=1 python3 tests/run.py

hard-fuzz:
	$(Q)if sh tools/needs.sh tell fuzz; then $(MAKE) fuzz FUZZ_SECONDS=$(HARD_FUZZ_SECONDS); \
		else echo 'fuzzing skipped: clang or its libFuzzer is not installed'; fi

# Fails allocations for tests/e2e/test_alloc_faults.py.
$(B)/tests/preload/%.so: tests/preload/%.c
	$(call say,HELPER)mkdir -p $(@D) && $(CC) -std=c17 $(WARN) -O1 -g -shared -fPIC -o $@ $<

test-build: $(B)/tests/preload/alloc.so
