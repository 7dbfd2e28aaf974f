#!/usr/bin/env bash
# Runs the benchmarks of the paths that every decision takes and prints them as
# Markdown, with the machine they ran on: a number without one says nothing.
#
#   tools/bench.sh [PACKAGE…] > table.md
#   BENCHTIME=3s COUNT=5 tools/bench.sh ./decide
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -eq 0 ]; then set -- ./decide ./internal/paths ./handlers; fi
go test -run '^$' -bench "${BENCH:-.}" -benchmem -benchtime "${BENCHTIME:-1s}" -count "${COUNT:-1}" "$@" |
  awk -v go="$(go env GOVERSION)" -v cores="$(getconf _NPROCESSORS_ONLN)" '
    function value(unit,   i) {
      for (i = 3; i < NF; i++) if ($(i + 1) == unit) return $i
      return ""
    }
    /^goos:/   { os = $2 }
    /^goarch:/ { arch = $2 }
    /^cpu:/    { sub(/^cpu: */, ""); cpu = $0 }
    /^pkg:/    { pkg = $2; sub(/^.*\/pdp\//, "", pkg) }
    /^(FAIL|panic:|--- FAIL)/ { print > "/dev/stderr" }
    /^Benchmark/ && NF > 3 {
      name = $1; sub(/^Benchmark/, "", name); sub(/-[0-9]+$/, "", name)
      row[++rows] = sprintf("| %s | %s | %s | %s | %s |", pkg, name, value("ns/op"), value("B/op"), value("allocs/op"))
    }
    END {
      printf "%s, %s/%s, %s cores, %s\n\n", go, os, arch, cores, cpu
      print "| package | benchmark | ns/op | B/op | allocs/op |"
      print "|---|---|---:|---:|---:|"
      for (i = 1; i <= rows; i++) print row[i]
    }'
