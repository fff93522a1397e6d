#!/bin/sh
# SPDX-License-Identifier: MIT
# Static analysis of the sources, part of `make hard`. Fails on anything that is not excepted here,
# and each exception says why. What is not installed is skipped, and said.
set -u
layers='base source parse model report cmd'
status=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

judge() { # NAME: what is left in the log is a finding
	if [ -s "$log" ]; then
		echo "not ok - $1"
		cat "$log"
		status=1
	else
		echo "ok - $1"
	fi
}

# shellcheck disable=SC2086
sources() { for d in $layers; do ls $d/*.c; done; }

# gcc 12's analyzer does not see that a count above zero implies a pointer, nor that a pointer into a
# sorted table was found a line before; it takes a struct that is returned and read by parts for
# unset. All that it says of these three kinds was looked at, and none was so. ASan, UBSan and
# valgrind watch for the real ones.
if command -v gcc >/dev/null; then
	sources | xargs -P2 -n1 sh -c 'gcc -std=c17 -O1 -fanalyzer -Wno-analyzer-null-dereference \
		-Wno-analyzer-null-argument -Wno-analyzer-use-of-uninitialized-value -I. \
		-DHUGECOV_VERSION=\"0\" -c -o /dev/null "$1" 2>&1' sh | grep 'warning:' >"$log"
	judge 'gcc -fanalyzer'
fi

# internalAstError: cppcheck 2.10 cannot parse `a ? (struct slice){ 0 } : b`.
# ctuPointerArith: buf + sizeof(buf), the end of a buffer, is taken for a read behind it.
# invalidFunctionArg: memchr() for a byte above 127, which is a negative char.
# nullPointerRedundantCheck in match_identity.c: of a pair one side may be absent, never both.
if command -v cppcheck >/dev/null; then
	# shellcheck disable=SC2086
	cppcheck -j2 -q --std=c11 --enable=warning,performance,portability -I. \
		--template='{file}:{line}: {severity}: {message} [{id}]' \
		--suppress=missingIncludeSystem --suppress=internalAstError --suppress=ctuPointerArith \
		--suppress='invalidFunctionArg:parse/smaps_record.c' \
		--suppress='nullPointerRedundantCheck:model/match_identity.c' \
		$layers 2>&1 | grep '\.[ch]:' >"$log"
	judge cppcheck
else
	echo 'ok - cppcheck # SKIP it is not installed'
fi

# clang-tidy repeats clang's analyzer, whose NullDereference, CallAndMessage and valist findings are of
# the kinds above (va_list is started a line before); what is asked of it is the rest of bugprone-*.
# sizeof-expression: sizes of pointers are meant where pointers are sorted. unix.API: a function of
# ours that is called open(). not-null-terminated-result: slices have no end mark. macro-parentheses:
# arguments that are names and types of declarations. branch-clone: conditions stand in the order of the
# format. misplaced-widening-cast: sums of rows of a screen. signed-char-misuse: -1 as "no finding".
checks='-*,bugprone-*,-bugprone-easily-swappable-parameters,-bugprone-narrowing-conversions'
checks="$checks,-bugprone-implicit-widening-of-multiplication-result,-bugprone-reserved-identifier"
checks="$checks,-bugprone-assignment-in-if-condition,-bugprone-sizeof-expression"
checks="$checks,-bugprone-macro-parentheses,-bugprone-branch-clone,-bugprone-misplaced-widening-cast"
checks="$checks,-bugprone-signed-char-misuse"
checks="$checks,-bugprone-not-null-terminated-result,-bugprone-suspicious-string-compare"
export checks
if command -v clang-tidy >/dev/null; then
	sources | xargs -P2 -n4 sh -c 'clang-tidy --quiet "--checks=$checks" "$@" -- -std=c17 -I. \
		-DHUGECOV_VERSION=\"0\" 2>/dev/null' sh | grep 'warning:' >"$log"
	judge clang-tidy
else
	echo 'ok - clang-tidy # SKIP it is not installed'
fi
exit $status
