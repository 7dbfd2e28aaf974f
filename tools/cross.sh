#!/usr/bin/env bash
# Builds for the systems that the tests do not run on, and vets what only they
# compile (tests included), so that a file behind a build tag cannot rot.
set -euo pipefail
cd "$(dirname "$0")/.."

export CGO_ENABLED=0
for os in windows darwin; do
  echo "cross: $os"
  GOOS=$os go build ./...
  GOOS=$os go vet ./...
done
