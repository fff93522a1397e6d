#!/bin/sh
# SPDX-License-Identifier: MIT
# Each layer includes only the ones before it, and each library has one or two home files (CONTRIBUTING).
fails=0
check() { if [ "$2" = "" ]; then echo "ok - $1"; else echo "not ok - $1"; echo "$2" | sed 's/^/# /'; fails=1; fi }

may() { # LAYER ALLOWED...: lines that include another layer
	layer=$1; shift
	allowed=$(echo "$*" | tr ' ' '|')
	check "$layer includes only: $*" "$(grep -nE '#include "[a-z]+/' "$layer"/*.[ch] 2>/dev/null | grep -vE "#include \"($allowed)/")"
}
may base base
may source base source
may parse base parse
may model base parse model
may report base parse model report
may cmd base source parse model report cmd

home() { # HEADER FILES...
	header=$1; shift
	found=$(grep -lE "#include <$header>" base/*.[ch] source/*.[ch] parse/*.[ch] model/*.[ch] report/*.[ch] cmd/*.[ch] 2>/dev/null | sort | tr '\n' ' ')
	bad=""
	for f in $found; do case " $* " in *" $f "*) ;; *) bad="$bad $f" ;; esac; done
	check "<$header> only in: $*" "$bad"
}
home 'archive.h' source/archive.c source/archive_write.c
home 'csv.h' parse/perf_csv.c
home 'pcre2.h' model/filter.c
home 'cjson/cJSON.h' parse/json_read.c
home 'ncurses.h' report/screen.c
exit $fails
