# SPDX-License-Identifier: MIT
# hugecov: make help lists the targets.
#
# Variables: CC CFLAGS LDFLAGS WERROR=1 V=1 DESTDIR PREFIX CASES UPDATE=1
#            CONFIG=release|asan|faults|fuzz (each has its own folder under build/)

VERSION := $(shell cat VERSION)
PREFIX  ?= /usr/local
CONFIG  ?= release
B       := build/$(CONFIG)

WARN := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
WARN += $(if $(WERROR),-Werror)
CFLAGS ?= -O2 -g
HARDEN_release := -D_FORTIFY_SOURCE=2 -fstack-protector-strong -fPIE
LINK_release   := -pie -Wl,-z,relro,-z,now
HARDEN_faults  := -DHUGECOV_FAULTS -fsanitize=address,undefined -fno-sanitize-recover=all
LINK_faults    := -fsanitize=address,undefined
HARDEN_asan    := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LINK_asan      := -fsanitize=address,undefined
# Comparisons are not traced, which takes half of the time: dictionaries hold the words.
HARDEN_fuzz    := -DHUGECOV_FUZZ -fsanitize=address,undefined,fuzzer-no-link -fno-sanitize-recover=all
HARDEN_fuzz    += -fno-sanitize-coverage=trace-cmp
LINK_fuzz      := -fsanitize=address,undefined
HARDEN_cover   := --coverage -O0
LINK_cover     := --coverage

ALL_CFLAGS := -std=c17 $(WARN) $(HARDEN_$(CONFIG)) -I. -I$(B) -DHUGECOV_VERSION='"$(VERSION)"' $(CFLAGS)
ALL_LDFLAGS := $(LINK_$(CONFIG)) $(LDFLAGS)
LIBS := -lm -ldl

LAYERS := base source parse model report cmd
SRC  := $(wildcard $(LAYERS:%=%/*.c))
OBJ  := $(SRC:%.c=$(B)/%.o)
LIBO := $(filter-out $(B)/cmd/main.o,$(OBJ))
LIB  := $(B)/libhugecov.a
UNIT := $(patsubst tests/unit/%.c,$(B)/tests/unit/%,$(wildcard tests/unit/test_*.c))
HELPERS := $(patsubst tests/helpers/%.c,$(B)/tests/helpers/%,$(wildcard tests/helpers/*.c))

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $@;)

.DEFAULT_GOAL := all
.PHONY: all help check test-build clean install uninstall

# ./hugecov is always the release build; the others stay in their folders.
TOOL := $(if $(filter release,$(CONFIG)),hugecov,$(B)/hugecov)

all: $(TOOL) ## build ./hugecov

hugecov: build/release/hugecov
	$(Q)cp -f $< $@.tmp && mv -f $@.tmp $@

$(B)/hugecov: $(B)/cmd/main.o $(LIB)
	$(call say,LINK)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(LIB): $(LIBO)
	$(call say,AR)rm -f $@ && $(AR) rcs $@ $^

# A changed compiler, flag or version rebuilds: the recipe's words are a prerequisite.
$(B)/flags: FORCE
	$(Q)mkdir -p $(@D); echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS)' > $@
FORCE:

$(B)/%.o: %.c $(B)/flags
	$(call say,CC)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/tests/unit/%: tests/unit/%.c $(LIB)
	$(call say,TEST)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -Itests -MMD -MP $(ALL_LDFLAGS) -o $@ $< $(filter %.o,$^) $(LIB) -lcmocka $(LIBS)

# Helpers are plain programs: no sanitizer moves their mappings about.
$(B)/tests/helpers/%: tests/helpers/%.c
	$(call say,HELPER)mkdir -p $(@D) && $(CC) -std=c17 $(WARN) -O1 -g -MMD -MP -o $@ $< -lpthread

-include $(OBJ:.o=.d) $(UNIT:=.d) $(HELPERS:=.d)

test-build: $(TOOL) $(UNIT) $(HELPERS)

check: test-build ## run all tests; CASES=DIR adds the conformance cases, UPDATE=1 rewrites goldens
	$(Q)B=$(B) CASES=$(CASES) UPDATE=$(UPDATE) python3 tests/run.py

clean: ## remove what was built
	rm -rf build hugecov

help: ## this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1\t/' | expand -t 16

-include mk/*.mk
