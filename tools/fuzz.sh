#!/usr/bin/env bash
# Fuzzes every target for FUZZTIME (default 60s), one after the other. A finding
# is written to the package's testdata/fuzz, where go test replays it from then on.
#
#   tools/fuzz.sh [PACKAGE…]      default ./...
set -euo pipefail
cd "$(dirname "$0")/.."

fuzztime=${FUZZTIME:-60s}
cache="$(go env GOCACHE)/fuzz"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
ran=0 failed=0

# Only packages whose tests name a target are compiled: `go list` leaves out the
# files that this system does not build.
packages() {
  # shellcheck disable=SC2016 # Go's template, not the shell's variables
  go list -f '{{$d := .Dir}}{{$p := .ImportPath}}{{range .TestGoFiles}}{{$p}} {{$d}}/{{.}}
{{end}}{{range .XTestGoFiles}}{{$p}} {{$d}}/{{.}}
{{end}}' "$@" | while read -r package file; do
    if [ -n "$package" ] && grep -q '^func Fuzz' "$file"; then echo "$package"; fi
  done | sort -u
}

# fuzz DIR PACKAGE TARGET: one run, its output in $work/log.
fuzz() {
  (cd "$1" && "$work/fuzz.test" -test.run='^$' -test.fuzz="^$3\$" \
    -test.fuzztime="$fuzztime" -test.fuzzminimizetime=10s \
    -test.fuzzcachedir="$cache/$2") >"$work/log" 2>&1
}

# On a busy machine Go's fuzzer may take its own end of time for a failure, with
# these words alone: an input that fails or hangs has others. An input that
# always outlasts the time still fails, at the last try.
out_of_time() {
  [ "$(sed -n '/^--- FAIL/,$ { /^--- FAIL/d; /^FAIL$/d; p }' "$work/log")" = "    context deadline exceeded" ]
}

found=$(packages "${@:-./...}")
for package in $found; do
  dir=$(go list -f '{{.Dir}}' "$package")
  # Compiled once for all of the package's targets.
  go test -c -fuzz=. -o "$work/fuzz.test" "$package"
  targets=$(cd "$dir" && "$work/fuzz.test" -test.list '^Fuzz')
  for target in $targets; do
    echo "fuzz: $package $target $fuzztime"
    ran=$((ran + 1))
    tries=3
    until fuzz "$dir" "$package" "$target"; do
      tries=$((tries - 1))
      if [ "$tries" -gt 0 ] && out_of_time; then
        echo "fuzz: again, the time ran out within an input"
        continue
      fi
      cat "$work/log"
      failed=$((failed + 1))
      continue 2
    done
    tail -n 2 "$work/log" | head -n 1
  done
done

echo "fuzz: $ran targets, $failed with findings"
[ "$failed" -eq 0 ]
