#!/bin/sh
# SPDX-License-Identifier: MIT
# The man page is clean by mandoc's own lint and fits 80 columns.
page=$TOP/man/hugecov.1
if ! command -v mandoc >/dev/null; then
	echo "ok - man page # SKIP mandoc is not installed"
	exit 0
fi
fails=0
check() { if [ -z "$2" ]; then echo "ok - $1"; else echo "not ok - $1"; echo "$2" | sed 's/^/# /'; fails=1; fi }
# Whether other pages are installed here says nothing about this one.
check "mandoc -Tlint has nothing to say" "$(mandoc -Tlint "$page" 2>&1 | grep -vE 'mandoc\.db|referenced manual not found')"
check "no line is wider than 80 columns" "$(mandoc -Tutf8 "$page" 2>/dev/null | sed 's/.\x08//g' | awk 'length > 80')"
check "every mark of the template is replaced" "$(grep -n '^@[A-Z]*@$' "$page")"
exit $fails
