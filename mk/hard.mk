# SPDX-License-Identifier: MIT
# The long versions of the tests of hostile input and hostile moments.
.PHONY: hard
HARD_FUZZ_SECONDS ?= 600

hard: test-build ## faults in turn, long storms, big hostile files, fuzzing, valgrind
	$(Q)$(MAKE) CONFIG=faults
	$(Q)B=$(B) HARD=1 python3 tests/run.py e2e/test_faults e2e/test_snap_faults e2e/test_moments e2e/test_memory \
		e2e/test_storms e2e/test_signals e2e/test_limits e2e/test_archives
	$(Q)B=$(B) sh tools/valgrind.sh
	$(Q)if sh tools/needs.sh tell fuzz; then $(MAKE) fuzz FUZZ_SECONDS=$(HARD_FUZZ_SECONDS); \
		else echo 'fuzzing skipped: clang or its libFuzzer is not installed'; fi
