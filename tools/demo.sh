#!/bin/sh
# SPDX-License-Identifier: MIT
# shellcheck disable=SC2154 # names that the program says
# usage: demo.sh HUGECOV DEMO-PROGRAM
# Shows hugecov on a small program that runs here, and on two dumps. What it says of the
# kernel is read from this kernel. Nothing stays behind: no process, no file.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
hugecov=$(cd "$(dirname "$1")" && pwd)/$(basename "$1") program=$2
tmp=$(mktemp -d)
trap 'exec 3>&-; rm -rf "$tmp"' EXIT
trap 'exit 130' INT TERM HUP

say() { # in lines of 80 columns
	echo "$*" | fold -s -w 80 | sed 's/ *$//'
}

run() { # shows a command as typed and runs it; a status of 1 is part of the show
	echo
	echo "\$ hugecov $*"
	"$hugecov" "$@" || [ $? -eq 1 ]
}

# glibc 2.35 and later advise large blocks of malloc when told so. The program ends when
# descriptor 3 is closed, that is with this script, however it ends.
mkfifo "$tmp/stop"
: >"$tmp/said"
GLIBC_TUNABLES=glibc.malloc.hugetlb=1 "$program" <"$tmp/stop" >"$tmp/said" &
exec 3>"$tmp/stop"
tries=0
until grep -q '^heap_advised=' "$tmp/said"; do
	tries=$((tries + 1))
	[ $tries -le 300 ] || { echo "demo: the program does not start" >&2; exit 1; }
	sleep 0.1
done
# Lines NAME=VALUE with numbers only.
eval "$(grep -E '^[a-z_]+=[0-9a-f]+$' "$tmp/said")"

thp=/sys/kernel/mm/transparent_hugepage/enabled
if [ -r $thp ]; then
	policy=$(sed 's/.*\[\(.*\)\].*/\1/' $thp)
else
	policy=none
fi
kernel=$(uname -r)
# Since when a kernel places what: as MAJOR * 1000000 + MINOR * 1000 + PATCH.
number=$(echo "$kernel" | awk -F'[^0-9]+' '{ print $1 * 1000000 + $2 * 1000 + $3 }')
mib() { echo $(($1 * pmd_kb / 1024)); }

cat <<END
A program has mapped five pieces of memory and touched all of them:

  $plain  $(mib 32) MiB on a boundary, never advised
  $across  $((pmd_kb * 3 / 2)) kB across a boundary, MADV_HUGEPAGE
  $past  $(mib 4) MiB that start $page_kb kB past a boundary, MADV_HUGEPAGE
  $good  $(mib 4) MiB on a boundary, MADV_HUGEPAGE
  $heap  malloc of $(mib 64) MiB$([ "$heap_advised" -eq 1 ] && echo ", advised by glibc" || echo ", not advised")

END
case $policy in
always) say "Here THP is always: memory needs no advice, but it must lie right." ;;
madvise) say "Here THP is madvise: only advised memory may be huge, and it must lie right." ;;
never) say "Here THP is never: nothing is huge, however it lies. As root, to see more:"
	echo "    echo madvise >$thp" ;;
none) say "This kernel has no transparent huge pages: nothing is huge." ;;
*) say "Here THP is $policy." ;;
esac
if [ "$policy" != none ]; then
	if [ "$heap_past_kb" -eq 0 ]; then
		where="lies on a boundary"
	else
		where="lies $heap_past_kb kB past a boundary"
	fi
	if [ "$number" -lt 6007000 ]; then
		why="Before Linux 6.7 no anonymous memory is placed on a boundary, unless by chance."
	elif [ "$number" -lt 6011007 ] && [ "$heap_past_kb" -eq 0 ]; then
		why="Linux 6.7 to 6.11.6 place every mapping of a huge page or more on a boundary."
	elif [ "$number" -lt 6011007 ]; then
		why="Linux 6.7 to 6.11.6 would have placed it on one: this kernel has been changed."
	else
		why="Since Linux 6.12 (6.11.7) only multiples of the huge page size are placed on one, so"
		why="$why a block of malloc is there by chance only."
	fi
	say "The block of malloc, $page_kb kB longer than asked for, $where (Linux $kernel)." "$why"
fi
run report "$pid"
exec 3>&- # the program ends

echo
say "malloc(128 MiB), of which only the header was touched, before and after that change of" \
	"Linux 6.12. The two dumps were posted to a kernel mailing list:"
cd "$top/tests/fixtures/malloc128"
run report before.txt
run diff before.txt after.txt
echo
echo "Next:  ./hugecov report PID     (or: make install, man hugecov)"
