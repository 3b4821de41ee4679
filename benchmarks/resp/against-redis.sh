#!/bin/bash
# The same load against Ebb and Redis in turn, server and client on one core each, as a Markdown table.
set -eu

usage() {
  cat <<'TEXT'
usage: against-redis.sh [SIZES [CONNECTIONS [COMMANDS]]]

  SIZES        value sizes, by default '1KiB 64KiB 1MiB 4MiB'
  CONNECTIONS  by default '1 8 50'
  COMMANDS     by default 'set get'

Needs redis-server, taskset and jq on the PATH and two idle cores. Environment:
  SECONDS_EACH=2 measured per cell after WARM_UP=5 of the same load, LOAD_FIRST=6 at the start and for each size,
  DATA=1GiB in each server,
  SERVER_CORE=0, CLIENT_CORE=1, VERIFY=1 compares every value (the client works harder)
TEXT
}
case ${1:-} in -h | --help) usage; exit 0 ;; esac
for tool in redis-server taskset jq; do
  command -v "$tool" >/dev/null || { echo "against-redis.sh: '$tool' is not on the PATH; install it" >&2; exit 1; }
done

sizes=${1:-1KiB 64KiB 1MiB 4MiB}
connections=${2:-1 8 50}
commands=${3:-set get}
home=$(cd "$(dirname "$0")/../.." && pwd)
server_core=${SERVER_CORE:-0}
client_core=${CLIENT_CORE:-1}
measured=${SECONDS_EACH:-2}
# A server in Java compiles again when connections or commands change, which takes seconds on one core.
warm_up=${WARM_UP:-5}
load_first=${LOAD_FIRST:-6}
data=$(numfmt --from=iec-i --suffix=B "${DATA:-1GiB}" | tr -d B)
ebb_port=${EBB_PORT:-7380}
redis_port=${REDIS_PORT:-7379}
scratch=$(mktemp -d)
pids=
trap 'kill $pids 2>/dev/null; wait 2>/dev/null; rm -rf "$scratch"' EXIT

taskset -c "$server_core" redis-server --port "$redis_port" --save '' --dir "$scratch" \
  --maxmemory $((2 * data)) --maxmemory-policy allkeys-lru >"$scratch/redis.log" &
redis_pid=$!
pids=$redis_pid
# One event loop, since Redis has one.
cat >"$scratch/ebb.conf" <<TEXT
ebb.server { port = $ebb_port, threads = 1 }
ebb.pool.size = "$((2 * data)) B"
ebb.admin.port = 0
TEXT
taskset -c "$server_core" "$home/ebb" serve --config "$scratch/ebb.conf" >"$scratch/ebb.log" 2>&1 &
ebb_pid=$!
pids="$pids $ebb_pid"
for _ in $(seq 600); do
  grep -q serving "$scratch/ebb.log" && break
  kill -0 "$ebb_pid" 2>/dev/null || { cat "$scratch/ebb.log" >&2; exit 1; }
  sleep 0.1
done

run() { # port pid command size keys connections more...
  taskset -c "$client_core" "$home/ebb" bench --port "$1" --server-pid "$2" --command "$3" --value-size "$4" \
    --keys "$5" --connections "$6" --warm-up "$warm_up" --duration "$measured" ${VERIFY:+--verify} --json "${@:7}" 2>"$scratch/err" ||
    { cat "$scratch/err" >&2; exit 1; }
}

# Both servers alike: every key once, and then both commands for a while.
both() { # command size keys
  for port in "$redis_port" "$ebb_port"; do
    warm_up=$load_first measured=0.1 run "$port" 0 "$1" "$2" "$3" 8 --fill --get-ratio 0.5 >/dev/null
  done
}

# Requests that are many and large, so that the JVM compiles now rather than on the core that is measured.
both mixed 64KiB 4000
echo "| value | command | connections | requests/s, Redis | Ebb | GB/s, Redis | Ebb | p50 ms, Redis | Ebb | p99 ms, Redis | Ebb | server CPU s/GB, Redis | Ebb |"
echo "|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
for size in $sizes; do
  keys=$((data / $(numfmt --from=iec-i --suffix=B "$size" | tr -d B)))
  keys=$((keys > 10000 ? 10000 : keys))
  both mixed "$size" "$keys"
  for command in $commands; do
    for clients in $connections; do
      run "$redis_port" "$redis_pid" "$command" "$size" "$keys" "$clients" >"$scratch/redis.json"
      run "$ebb_port" "$ebb_pid" "$command" "$size" "$keys" "$clients" >"$scratch/ebb.json"
      jq -rs --arg size "$size" --arg command "${command^^}" --arg clients "$clients" '
        def round(digits): . * pow(10; digits) | round / pow(10; digits);
        .[0] as $r | .[1] as $e |
        [($size | sub("(?<n>[0-9]+)"; "\(.n) ")), $command, $clients,
         ($r.requestsPerSecond | round), ($e.requestsPerSecond | round),
         ($r.gigabytesPerSecond | round(2)), ($e.gigabytesPerSecond | round(2)),
         ($r.latencyMillis.p50 | round(3)), ($e.latencyMillis.p50 | round(3)),
         ($r.latencyMillis.p99 | round(3)), ($e.latencyMillis.p99 | round(3)),
         ($r.serverCpuSecondsPerGigabyte | round(3)), ($e.serverCpuSecondsPerGigabyte | round(3))]
        | "| " + (map(tostring) | join(" | ")) + " |"' "$scratch/redis.json" "$scratch/ebb.json"
    done
  done
done
