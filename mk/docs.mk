# SPDX-License-Identifier: MIT
# Everything that is generated from the tables, committed, and compared by tests/checks/test_docs.py.
GENDOCS := $(B)/tools/gendocs
GENSRC  := $(wildcard tools/gen*.c)

$(GENDOCS): $(GENSRC) tools/gendocs.h $(LIB)
	$(call say,TOOL)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(GENSRC) $(LIB) $(LIBS)

test-build: $(GENDOCS)

.PHONY: docs
docs: $(GENDOCS) ## write man page, completions and lists anew from the tables
	$(Q)UPDATE=1 BUILD=$(B) TOP=. python3 tests/checks/test_docs.py
