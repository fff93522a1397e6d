# SPDX-License-Identifier: MIT
.PHONY: bench bench-build bench-gate bench-counts

BENCHES := smapsgen vmagen empty parse match cjson_tree

$(B)/bench/%: bench/%.c
	$(call say,BENCH)mkdir -p $(@D) && $(CC) -std=gnu17 -O2 -o $@ $<

$(B)/bench/parse $(B)/bench/match: $(B)/bench/%: bench/%.c $(LIB)
	$(call say,BENCH)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(LIB) $(LIBS)

$(B)/bench/cjson_tree: bench/cjson_tree.c
	$(call say,BENCH)mkdir -p $(@D) && $(CC) -std=c17 -O2 -o $@ $< -lcjson

bench-build: hugecov $(BENCHES:%=$(B)/bench/%)

bench: bench-build ## measure beside cat, gawk, pmap and others; writes build/bench.json
	HUGECOV=$(B)/hugecov BENCH=$(B)/bench python3 bench/bench.py --json build/bench.json

bench-counts: bench-build ## instruction counts against bench/limits.json
	HUGECOV=$(B)/hugecov BENCH=$(B)/bench python3 bench/bench.py --counts --gate

bench-gate: bench-build ## counts and ratios against bench/limits.json
	HUGECOV=$(B)/hugecov BENCH=$(B)/bench python3 bench/bench.py --gate
