# SPDX-License-Identifier: MIT
build/demo/demo: demo/demo.c
	$(call say,CC)mkdir -p $(@D) && $(CC) -std=c17 $(WARN) -O1 -g -o $@ $<

test-build: build/demo/demo

.PHONY: demo
demo: hugecov build/demo/demo ## a first look: reports of a small program that runs here, and of two dumps
	$(Q)sh tools/demo.sh ./hugecov build/demo/demo
