# SPDX-License-Identifier: MIT
.PHONY: asan cover
asan: ## all tests under AddressSanitizer and UndefinedBehaviorSanitizer
	$(Q)$(MAKE) CONFIG=asan check

cover: ## all tests, and the share of lines that they reach, by file
	$(Q)rm -rf build/cover; $(MAKE) CONFIG=cover CC=gcc check
	$(Q)python3 tools/cover.py build/cover

.PHONY: sizes
sizes: ## files, functions and lines that are larger than CONTRIBUTING asks for
	$(Q)python3 tools/sizes.py
