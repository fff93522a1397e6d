#!/bin/sh
# SPDX-License-Identifier: MIT
# What has to be installed, and from which Debian package.
#
# usage: needs.sh tell|install build|check|bench|fuzz
# tell:    names what is missing, and the one command that installs it; status 1 then
# install: installs it when it may (root, or sudo without a password), else as tell
#
# To add something: a line below. KIND is command, header or clang (what it takes a part of).
needs() {
	cat <<END
build command ${CC:-cc}                        gcc
build header  stdio.h                     libc6-dev
build header  archive.h                   libarchive-dev
build header  csv.h                       libcsv-dev
build header  cjson/cJSON.h               libcjson-dev
build header  ncurses.h                   libncurses-dev
build header  pcre2.h                     libpcre2-dev
check header  cmocka.h                    libcmocka-dev
check command python3                     python3
check command mandoc                      mandoc
check command zsh                         zsh
check command fish                        fish
check command tmux                        tmux
check command xz                          xz-utils
check command zstd                        zstd
check command xmllint                     libxml2-utils
bench command valgrind                    valgrind
fuzz  command clang                       clang
fuzz  clang   fuzzer,address              libclang-rt-dev
END
}

present() { # KIND NAME
	case $1 in
	command) command -v "$2" >/dev/null ;;
	clang) # a sanitizer that it can link
		echo 'int LLVMFuzzerTestOneInput(const char *p, __SIZE_TYPE__ n) { return p && !n; }' |
			clang -fsanitize="$2" -x c - -o /dev/null 2>/dev/null ;;
	# What pcre2.h and cmocka.h want to stand before them comes along.
	header) "${CC:-cc}" -fsyntax-only -x c - 2>/dev/null <<END
#define PCRE2_CODE_UNIT_WIDTH 8
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <$2>
END
	;;
	esac
}

missing() { # build|check|bench: each with those before it; fuzz: with build
	needs | while read -r what kind name package; do
		[ "$what" = build ] || [ "$what" = "$1" ] || [ "$what$1" = checkbench ] || continue
		present "$kind" "$name" || echo "$package"
	done | sort -u | tr '\n' ' '
}

packages=$(missing "$2")
[ -z "$packages" ] && exit 0
line="apt-get install -y --no-install-recommends $packages"
as_root=
if [ "$(id -u)" -ne 0 ]; then
	as_root=sudo
fi
if [ "$1" = install ] && command -v apt-get >/dev/null &&
   { [ -z "$as_root" ] || sudo -n true 2>/dev/null; }; then
	echo "Installing what is missing: $packages"
	# The list of packages of a fresh machine may be empty or old: then it is fetched first.
	# shellcheck disable=SC2086
	$as_root env DEBIAN_FRONTEND=noninteractive $line >/dev/null 2>&1 && exit 0
	$as_root apt-get update -q >/dev/null
	# shellcheck disable=SC2086
	$as_root env DEBIAN_FRONTEND=noninteractive $line >/dev/null && [ -z "$(missing "$2")" ] && exit 0
fi
echo "hugecov needs something that is not installed: $packages" >&2
echo "    ${as_root:+$as_root }$line" >&2
exit 1
