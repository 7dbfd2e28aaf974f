#!/usr/bin/env bash
# Vendors Swagger UI's bundle and style sheet, byte for byte as published, with
# their licences. Nothing else of the package is taken: its start page would
# load a definition from elsewhere.
#
#   tools/swagger-ui.sh VERSION
set -euo pipefail
cd "$(dirname "$0")/.."

version=${1:?usage: tools/swagger-ui.sh VERSION}
target=api/swaggerui
files=(swagger-ui-bundle.js swagger-ui-bundle.js.LICENSE.txt swagger-ui.css LICENSE NOTICE)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# npm checks the archive against the registry's checksum; no script of it runs.
archive=$(npm pack --silent --ignore-scripts --pack-destination "$work" "swagger-ui-dist@$version")
tar -xzf "$work/$archive" -C "$work"

mkdir -p "$target"
for file in "${files[@]}"; do
  install -m 0644 "$work/package/$file" "$target/$file"
done
echo "$version" >"$target/VERSION"
echo "vendored swagger-ui-dist $version to $target"
