#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs each part of `make hard`, also after one that failed, and ends with the sum of all:
# N passed, N failed, N skipped. usage: hard.sh MAKE PART...
make=$1
shift
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

for part; do
	echo "==== $part"
	{ $make -s "hard-$part" 2>&1; echo $? >"$logs/$part.status"; } | tee "$logs/$part"
done

# The last sum of a part is its own. A part without one, or that failed without saying what, has failed.
passed=0 failed=0 skipped=0
for part; do
	sum=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p' "$logs/$part" | tail -1)
	if [ -z "$sum" ]; then # what prints results alone
		sum=$(awk '/^(not )?ok .*# SKIP/ || /^fuzzing skipped/ { s++; next } /^ok / { p++ } /^not ok / { f++ }
			END { if (p + f + s) print p + 0, f + 0, s + 0 }' "$logs/$part")
	fi
	read -r p f s <<-EOF
	${sum:-0 1 0}
	EOF
	if [ "$(cat "$logs/$part.status")" != 0 ] && [ "$f" = 0 ]; then
		f=1
	fi
	echo "$part: $p passed, $f failed, ${s:-0} skipped"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
