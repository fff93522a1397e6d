# SPDX-License-Identifier: MIT
.PHONY: asan cover
asan: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(Q)$(MAKE) CONFIG=asan check

cover: ## all tests, and the share of lines that they reach, by file
	$(Q)rm -rf build/cover; $(MAKE) CONFIG=cover CC=gcc check
	$(Q)python3 tools/cover.py build/cover
