#!/bin/bash
# The same requests to the slots of llama.cpp's server and to Ebb's engine in turn, as a Markdown table.
set -eu

usage() {
  cat <<'TEXT'
usage: against-llama-server.sh [WORKLOAD [SERVERS [ROUNDS]]]

  WORKLOAD  turns (conversations of 160 to 832 tokens, default), chat (that of 'ebb bench engine': prompts are mostly
            shared), unique (nothing to reuse), or a file in the format of Mooncake's conversation
            trace, whose lengths are divided by 32
  SERVERS   'slots lru predictive' by default; other block policies, and 'none' for no prefix cache
  ROUNDS    3 by default; the servers take turns in each

Needs the module engine-llama, jq and curl. 'slots' is the server code in the JNI library of de.kherud:llama, the same
build that Ebb's engine uses. Environment:
  MODEL=FILE      by default, a demo model of LAYERS=8
  CELLS=8192      KV cells of either server, with all that Ebb adds to its --context
  SLOTS=8         slots, and parallel requests of Ebb; CLIENTS=8
  RECENT=16       of turns: three in four are of the users that were last active
  USERS=32        of turns, 24 of chat; REQUESTS=200; MAX_INPUT=800; MAX_TOKENS=16; SKIP=0 requests at the start of a trace
  THREADS=1       compute threads
  FLASH=true      flash attention
  OUT=FOLDER      keeps the measurements and statistics
TEXT
}
case ${1:-} in -h | --help) usage; exit 0 ;; esac
for tool in jq curl; do
  command -v "$tool" >/dev/null || { echo "against-llama-server.sh: '$tool' is not on the PATH; install it" >&2; exit 1; }
done

workload=${1:-turns}
servers=${2:-slots lru predictive}
rounds=${3:-3}
home=$(cd "$(dirname "$0")/../.." && pwd)
layout=${LAYOUT:-$home/dist/target/ebb}
ebb=${EBB:-$home/ebb}
cells=${CELLS:-8192}
slots=${SLOTS:-8}
batch=256
threads=${THREADS:-1}
flash=${FLASH:-true}
requests=${REQUESTS:-200}
port=${PORT:-8790}
admin=$((port + 1))
scratch=$(mktemp -d)
out=${OUT:-$scratch}
mkdir -p "$out"
pid=
trap 'kill $pid 2>/dev/null; wait 2>/dev/null; rm -rf "$scratch"' EXIT

. "$home/bin/find-jdk.sh"
ebb_find_jdk || { ebb_jdk_missing; exit 1; }
java=$EBB_JDK/bin/java

model=${MODEL:-$scratch/demo.gguf}
[ -f "$model" ] || "$ebb" engine demo-model "$model" --layers "${LAYERS:-8}" >&2

load=(--requests "$requests" --clients "${CLIENTS:-8}" --max-tokens "${MAX_TOKENS:-16}" --ignore-eos
  --max-input-tokens "${MAX_INPUT:-800}")
case $workload in
  turns)
    # A turn adds 96 tokens to its conversation. The user who continues is drawn at random, three times in four one of
    # those that were last active.
    awk -v users="${USERS:-32}" -v recent="${RECENT:-16}" -v n="$requests" 'BEGIN {
      srand(1)
      for (i = 0; i < users; i++) order[i] = i
      for (i = 0; i < n; i++) {
        at = int(rand() * (rand() < 0.75 ? recent : users)); user = order[at]
        for (k = at; k > 0; k--) order[k] = order[k - 1]
        order[0] = user
        if (++turn[user] > 8) { turn[user] = 1; chat[user]++ }
        ids = "1,2,3,4"
        for (b = 0; b < 6 * turn[user]; b++) ids = ids "," 1000000 * (user + 1) + 1000 * chat[user] + b
        printf "{\"timestamp\": %d, \"input_length\": %d, \"output_length\": 16, \"tenant\": \"t%d\", \"session_id\": %d, \"hash_ids\": [%s]}\n", \
          i * 1000, 64 + 96 * turn[user], user % 4, 1000 * user + chat[user], ids
      }
    }' >"$scratch/turns.jsonl"
    load+=(--trace "$scratch/turns.jsonl" --block-tokens 16)
    ;;
  chat) load+=(--synthetic chat --users "${USERS:-24}" --tenants 4 --turns 6) ;;
  unique)
    jq -nc --argjson n "$requests" \
      'range($n) | {timestamp: (. * 1000), input_length: 400, output_length: 16, hash_ids: [range(. * 25; . * 25 + 25)]}' \
      >"$scratch/unique.jsonl"
    load+=(--trace "$scratch/unique.jsonl" --block-tokens 16)
    ;;
  *)
    # Blocks of 512 tokens become blocks of 16. The first block is the same for all; the second one is a conversation's.
    { case $workload in *.gz) zcat "$workload" ;; *) cat "$workload" ;; esac } |
      jq -c '.input_length |= (. / 32 | ceil) | .output_length |= (. / 32 | ceil) | .session_id = (.hash_ids[1] // 0) | .tenant = "t\(.session_id % 4)"' |
      { tail -n "+$((${SKIP:-0} + 1))"; } >"$scratch/scaled.jsonl"
    load+=(--trace "$scratch/scaled.jsonl" --block-tokens 16)
    ;;
esac

start() { # server
  rm -f "$scratch/slots.log"
  : >"$scratch/log"
  if [ "$1" = slots ]; then
    "$java" --enable-native-access=ALL-UNNAMED -Xmx256m -cp "$layout/lib/*:$layout/optional/*" \
      "$home/benchmarks/llama/SlotServer.java" \
      "$model" "$port" "$cells" "$slots" "$batch" "$threads" "$flash" "$scratch/slots.log" >"$scratch/log" 2>&1 &
  else
    flags=(--context $((cells - slots - batch)) --parallel "$slots" --batch-size "$batch" --threads "$threads")
    [ "$flash" = false ] || flags+=(--flash-attention)
    "$ebb" engine start "$model" --served-model-name demo --port "$port" --admin-port "$admin" \
      --eviction-policy "$1" "${flags[@]}" >"$scratch/log" 2>&1 &
  fi
  pid=$!
  for _ in $(seq 1200); do
    grep -q serving "$scratch/log" && return
    kill -0 "$pid" 2>/dev/null || { cat "$scratch/log" >&2; exit 1; }
    sleep 0.1
  done
}

# The statistics of Ebb's pool every two seconds, until it ends.
watch_pool() { # file
  while kill -0 "$pid" 2>/dev/null; do
    curl -s "http://127.0.0.1:$admin/api/v1/stats" | jq -c .pool >>"$1" || true
    sleep 2
  done
}

metric() { # name with labels
  curl -s "http://127.0.0.1:$port/metrics" | awk -v name="$1" 'index($0, name) == 1 { print $NF }'
}

for round in $(seq "$rounds"); do
  for server in $servers; do
    start "$server"
    name=llamacpp:prompt_tokens_total
    [ "$server" = slots ] || name='ebb_computed_tokens_total{part="prompt"'
    before=$(metric "$name")
    [ "$server" = slots ] || watch_pool "$out/$server-$round.pool.jsonl" &
    "$ebb" bench engine --url "http://127.0.0.1:$port" "${load[@]}" --json >"$scratch/bench.json" 2>"$scratch/err" ||
      { cat "$scratch/err" "$scratch/log" >&2; exit 1; }
    after=$(metric "$name")
    [ "$server" = slots ] || curl -s "http://127.0.0.1:$admin/api/v1/stats" >"$out/$server-$round.stats.json"
    [ "$server" = slots ] || curl -s "http://127.0.0.1:$port/metrics" >"$out/$server-$round.metrics"
    [ "$server" != slots ] || cp "$scratch/slots.log" "$out/slots-$round.log"
    cp "$scratch/bench.json" "$out/$server-$round.json"
    jq -c --arg server "$server" --argjson before "${before:-0}" --argjson after "$after" \
      --arg load "$(cut -d' ' -f1 /proc/loadavg)" '. + {server: $server, computed: ($after - $before), load: $load}' \
      "$scratch/bench.json" >>"$scratch/all.json"
    kill "$pid"
    wait "$pid" 2>/dev/null || true
    pid=
    echo "round $round: $server done, load $(cut -d' ' -f1 /proc/loadavg)" >&2
  done
done
[ "$out" = "$scratch" ] || cp "$scratch/all.json" "$out/all.json"

echo "| | prompt tokens | computed | of the slots' | requests/s | of the slots' | first token p50, ms | p99 | load average |"
echo "|---|--:|--:|--:|--:|--:|--:|--:|--:|"
jq -rs '
  def median: sort | if length % 2 == 1 then .[length / 2 | floor] else (.[length / 2 - 1] + .[length / 2]) / 2 end;
  def percent(base): if base then "\(100 * . / base | round) %" else "-" end;
  group_by(.server) | map({key: .[0].server, value: {
    prompt: map(.promptTokens) | median, computed: map(.computed) | median, rate: map(.requestsPerSecond) | median,
    first: map(.firstTokenMillis.p50) | median, last: map(.firstTokenMillis.p99) | median,
    load: [(map(.load) | min), (map(.load) | max)]}}) | from_entries | . as $all |
  to_entries[] | .key as $server | .value |
  "| `\($server)` | \(.prompt) | \(.computed) | \(.computed | percent($all.slots.computed)) | \(.rate * 100 | round / 100) | \(.rate | percent($all.slots.rate)) | \(.first | round) | \(.last | round) | \(.load | join(" to ")) |"
' "$scratch/all.json"
