#!/usr/bin/env bash
# Keeps the two libraries free of what they must not know, also by way of
# another package: whoever imports decide gets no server, no database, no logger.
set -euo pipefail
cd "$(dirname "$0")/.."

module=$(go list -m)
failed=0

# must_not PACKAGE PATTERN…: PACKAGE depends on nothing that a pattern names. A
# pattern is an import path; with /... at its end, everything below it too.
must_not() {
  local package=$1 pattern dep deps
  shift
  deps=$(go list -deps "$package")
  for pattern in "$@"; do
    while read -r dep; do
      if [ "$dep" = "${pattern%/...}" ] || [[ $pattern == */... && $dep == "${pattern%...}"* ]]; then
        echo "import rule: $package depends on $dep"
        failed=1
      fi
    done <<<"$deps"
  done
}

# database/sql/driver is not among them: it is a few interfaces, which types
# that can be stored implement.
wire=(net/http database/sql github.com/rs/zerolog/... github.com/prometheus/...)

must_not ./decide "${wire[@]}" "$module/handlers" "$module/internal/store/..." "$module/internal/audit"
must_not ./inspect "${wire[@]}" "$module/decide" "$module/handlers"

exit "$failed"
