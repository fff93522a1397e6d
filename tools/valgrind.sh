#!/bin/sh
# SPDX-License-Identifier: MIT
# A few representative runs under valgrind: each kind of source and each command. Ends with a count.
set -u
tool=${TOOL:-${B:-build/release}/hugecov}
f=tests/fixtures
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
good=0 bad=0

run() {
	if valgrind -q --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
		"$tool" "$@" >/dev/null 2>"$tmp/err"; [ $? -le 2 ] && ! grep -q '^==' "$tmp/err"; then
		good=$((good + 1))
	else
		bad=$((bad + 1))
		echo "not ok - valgrind: hugecov $*"
		sed 's/^/# /' "$tmp/err" | head -40
	fi
}

command -v valgrind >/dev/null || { echo 'valgrind is not installed: skipped'; exit 0; }
for format in text json csv; do
	run report --format $format $f/kernel-6.18/08-odd-file-names.smaps
	run diff --format $format $f/malloc128/before.txt $f/malloc128/after.txt
done
run report --strict $f/kernel-6.18/15a-torn-duplicate.smaps
run report --all --match '^/' self
run report --rollup self
run report self $$
for source in $f/perf/p61-real-default.txt $f/perf/p61-real-default.csv $f/perf/p61-real-default.jsonl \
	$f/lkp/radixsort.txt $f/lkp/lat_mem_rd.txt $f/kernel-6.18/16-loss-after.vmstat; do
	run report "$source"
done
run diff $f/perf/hugetlbfs-before.txt $f/perf/hugetlbfs-after.txt
run snap self -o "$tmp/dir"
run snap self -o "$tmp/a.tar.zst"
run report "$tmp/dir"
run report --format json "$tmp/a.tar.zst"
run watch --batch --iterations 2 --interval 100ms --record "$tmp/r.ndjson" $$
run watch --batch "$tmp/r.ndjson"
run report --format json --output "$tmp/r.json" $f/malloc128/before.txt
run report "$tmp/r.json"
run diff "$tmp/r.json" $f/malloc128/after.txt
run nonsense
if "$tool" check --help >/dev/null 2>&1; then
	for format in text json junit github markdown; do
		run check --format $format --require 'coverage >= 0%' $f/malloc128/before.txt
	done
fi
echo "valgrind: $good passed, $bad failed"
[ $bad -eq 0 ]
