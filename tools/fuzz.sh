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

found=$(packages "${@:-./...}")
for package in $found; do
  dir=$(go list -f '{{.Dir}}' "$package")
  # Compiled once for all of the package's targets.
  go test -c -fuzz=. -o "$work/fuzz.test" "$package"
  targets=$(cd "$dir" && "$work/fuzz.test" -test.list '^Fuzz')
  for target in $targets; do
    echo "fuzz: $package $target $fuzztime"
    ran=$((ran + 1))
    if ! (cd "$dir" && "$work/fuzz.test" -test.run='^$' -test.fuzz="^$target\$" \
      -test.fuzztime="$fuzztime" -test.fuzzminimizetime=10s \
      -test.fuzzcachedir="$cache/$package") >"$work/log" 2>&1; then
      cat "$work/log"
      failed=$((failed + 1))
    else
      tail -n 2 "$work/log" | head -n 1
    fi
  done
done

echo "fuzz: $ran targets, $failed with findings"
[ "$failed" -eq 0 ]
