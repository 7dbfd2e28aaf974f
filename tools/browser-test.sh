#!/usr/bin/env bash
# Runs the tests behind the build tag `browser`: they drive a real Chromium, so
# the ordinary run leaves them out. Arguments go to go test.
set -euo pipefail
cd "$(dirname "$0")/.."

packages=$({ grep -rlE --include='*_test.go' '^//go:build .*\bbrowser\b' . || true; } | xargs -r -n 1 dirname | sort -u)
if [ -z "$packages" ]; then
  echo "browser tests: there are none" >&2
  exit 0
fi
# shellcheck disable=SC2086 # one word for each package
exec go test -tags browser -run Browser -count=1 "$@" $packages
