# SPDX-License-Identifier: MIT
# What is missing on this machine: make check and make demo install it when they may, the others say it.
NEED := $(if $(filter check cover,$(MAKECMDGOALS)),check,build)
NEED_MODE := $(if $(filter check cover demo,$(MAKECMDGOALS)),install,tell)

build/needs-%: tools/needs.sh
	$(Q)mkdir -p build && CC='$(CC)' sh tools/needs.sh $(NEED_MODE) $* && touch $@

$(OBJ): | build/needs-$(NEED)
