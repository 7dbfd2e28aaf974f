#!/usr/bin/env bash
# Runs a command with a PostgreSQL server of its own: made for it in a temporary
# directory, on loopback, with a free port, syncing to disk as a real one does;
# stopped and removed afterwards.
#
#   tools/postgres.sh COMMAND…
#
# The command finds PDP_TEST_POSTGRES_URL, and PDP_TEST_POSTGRES_BIN, the server's
# own programs. Needs Debian's package postgresql, or its programs in PATH. As
# root it runs the server as the user postgres, which will not run as root.
set -euo pipefail

if [ $# -eq 0 ]; then
  sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
  exit 2
fi

# The newest that Debian has installed, unless PATH has the programs.
bin=$(dirname "$(readlink -f "$(command -v initdb || true)")" 2>/dev/null || true)
if [ ! -x "$bin/pg_ctl" ]; then
  bin=$(find /usr/lib/postgresql -path '*/bin/initdb' -printf '%h\n' 2>/dev/null | sort -V | tail -n 1)
fi
if [ ! -x "${bin:-/nowhere}/pg_ctl" ]; then
  echo "postgres.sh: no PostgreSQL server is installed (Debian: apt-get install postgresql)" >&2
  exit 3
fi

work=$(mktemp -d)
data=$work/data
as_owner() { "$@"; }
if [ "$(id -u)" -eq 0 ]; then
  chown postgres "$work"
  as_owner() { (cd "$work" && setpriv --reuid=postgres --regid=postgres --init-groups "$@"); }
fi
stop() {
  as_owner "$bin/pg_ctl" -D "$data" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT TERM

as_owner "$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C >"$work/initdb.log" 2>&1 || {
  cat "$work/initdb.log" >&2
  exit 3
}

# A port that is free now may be taken a moment later: try others.
for try in 1 2 3 4 5; do
  port=$((20000 + RANDOM % 10000))
  if as_owner "$bin/pg_ctl" -D "$data" -l "$work/server.log" -w -t 60 start \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=''" >/dev/null 2>&1; then
    break
  fi
  if [ "$try" = 5 ]; then
    cat "$work/server.log" >&2
    exit 3
  fi
done

export PDP_TEST_POSTGRES_URL="postgres://postgres@127.0.0.1:$port/postgres?sslmode=disable"
export PDP_TEST_POSTGRES_BIN=$bin
status=0
"$@" || status=$?
exit "$status"
