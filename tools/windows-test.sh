#!/usr/bin/env bash
# Runs the tests of inspect for Windows under wine. Wine imitates access lists on
# disk and lacks parts of the system, so this shows that the calls link and the
# portable code agrees; it verifies nothing about real Windows.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
GOOS=windows GOARCH=amd64 CGO_ENABLED=0 go test -c -o "$work/inspect.test.exe" ./inspect
echo "windows-test: compiled"

wine=$(command -v wine64 || command -v wine || true)
if [ -z "$wine" ]; then
  echo "windows-test: SKIPPED, wine is not installed"
  exit 0
fi
# Wine 8 has no bcryptprimitives.dll, without which no Go program starts; a stub
# that fills the buffer of ProcessPrng is enough for tests.
if command -v x86_64-w64-mingw32-gcc >/dev/null; then
  cat >"$work/prng.c" <<'C'
#include <windows.h>
#include <ntsecapi.h>
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE b, SIZE_T n) { return RtlGenRandom(b, n); }
C
  x86_64-w64-mingw32-gcc -shared -o "$work/bcryptprimitives.dll" "$work/prng.c" -ladvapi32
fi
cd inspect
WINEPREFIX="$work/prefix" WINEDEBUG=-all "$wine" "$work/inspect.test.exe" -test.count=1
