#!/bin/sh
# SPDX-License-Identifier: MIT
# Files of the tree that comments, rules of make and documents name are there.
cd "$TOP" || exit 1
names=$(find base source parse model report cmd mk docs tools bench tests/unit tests/checks .ci Makefile ./*.md \
	-type f ! -name '*.pyc' -exec \
	grep -hoE '\b(base|source|parse|model|report|cmd|docs|tools|schemas|bench|tests)/[a-zA-Z0-9_./-]+\.(md|sh|py|c|h|def|json)\b' {} + |
	grep -v '[A-Z]' | sort -u) # capitals stand for any name
missing=
for f in $names; do [ -e "$f" ] || missing="$missing $f"; done
[ -n "$names" ] || missing=' nothing was found to look for'
if [ -z "$missing" ]; then
	echo 'ok - files that are named are there'
else
	echo 'not ok - files that are named are there'
	echo "#$missing"
	exit 1
fi
