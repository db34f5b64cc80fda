#!/bin/sh
# How novel-gate grows with a project: `sh benches/growth.sh target/release/novel-gate [PACKETS..]`. Prints two tables.
# Needs Linux, awk, perf, time and tmux. Everything it makes lies in a directory of its own, gone at the end.
set -eu
gate=$(realpath "$1")
shift
top=$(mktemp -d)
export XDG_STATE_HOME="$top/state" XDG_CONFIG_HOME="$top/config" LC_ALL=C.UTF-8
tm() { tmux -L "growth-$$" -f /dev/null "$@"; }
trap 'exit 1' INT TERM
trap 'tm kill-server 2> /dev/null || true; rm -rf "$top"' EXIT

# project PACKETS OPTIONS: a project whose every second gate is answered.
project() {
    rm -rf "$top/book"
    mkdir -p "$top/book/staging/manifests" "$top/book/staging/novel-ask"
    awk -v dir="$top/book/staging" -v packets="$1" -v options="$2" 'BEGIN {
        for (n = 1; n <= options; n++)
            list = list sprintf("%s{\"label\":\"选项 %05d\",\"description\":\"雨在第 %d 章停下，他把门掩上。\"}", n > 1 ? "," : "", n, n)
        for (n = 1; n <= packets; n++) {
            name = sprintf("chapter-%06d-draft", n)
            file = sprintf("%s/manifests/%s.packet.json", dir, name)
            printf "{\"step\":\"chapter:%06d:draft\",\"agent\":\"writer\",\"novel_ask\":{\"version\":1,\"topic\":\"第 %d 章\",\"questions\":[{", n, n > file
            printf "\"id\":\"turn\",\"header\":\"走向\",\"question\":\"往哪个方向写？\",\"kind\":\"single_choice\",\"required\":true," > file
            printf "\"options\":[%s]}]},\"answer_path\":\"staging/novel-ask/%s.json\"}\n", list, name > file
            close(file)
            if (n % 2) continue
            file = sprintf("%s/novel-ask/%s.json", dir, name)
            printf "{\"version\":1,\"topic\":\"第 %d 章\",\"answers\":{\"turn\":\"选项 00001\"},", n > file
            printf "\"answered_at\":\"2026-02-27T10:12:34.000Z\",\"answered_by\":\"human\"}\n" > file
            close(file)
        }
    }'
    packet="$top/book/staging/manifests/chapter-000001-draft.packet.json"
}

# command_cpu WORDS..: milliseconds of CPU, a mean of five runs.
command_cpu() {
    rm -f "$top/stat"
    for run in 1 2 3 4 5; do
        perf stat -x , -e task-clock --append -o "$top/stat" -- "$gate" --project "$top/book" "$@" < "$top/input" > /dev/null 2>&1 || true
    done
    awk -F , '/task-clock/ { sum += $1; n++ } END { printf "%.1f", sum / n }' "$top/stat"
}

now() { date +%s%N; }
since() { awk -v a="$1" -v b="$(now)" 'BEGIN { printf "%.0f", (b - a) / 1e6 }'; }
until_shown() { until tm capture-pane -p | grep -q "$1"; do :; done; }
# Of all threads, in milliseconds.
console_cpu() { cat "/proc/$pid"/task/*/schedstat | awk '{ sum += $1 } END { print sum / 1e6 }'; }
memory() { awk '/VmRSS/ { printf "%.1f", $2 / 1024 }' "/proc/$pid/status"; }
cpu_since() { awk -v a="$1" -v b="$(console_cpu)" -v by="$2" 'BEGIN { printf "%.2f", (b - a) / by }'; }

# console WORDS..
console() {
    begun=$(now)
    tm new-session -d -x 120 -y 40 "exec '$gate' --lang en --project '$top/book' console $*"
    pid=$(tm display-message -p '#{pane_pid}')
}

# Leaves the console; nothing is unsaved.
leave() { tm kill-session; }

: > "$top/input"
echo '| packets | list, ms CPU (MB) | check | next --write | hook, Write | console: first frame, ms | all gates, ms | idle 10 s, ms CPU | MB |'
echo '|---|---|---|---|---|---|---|---|---|'
for packets in ${*:-1 1000 20000 100000}; do
    project "$packets" 4
    "$gate" --project "$top/book" list > /dev/null
    list=$(command_cpu list)
    most=$(/usr/bin/time -f %M "$gate" --project "$top/book" list 2>&1 > /dev/null | awk '{ printf "%.0f", $1 / 1024 }')
    check=$(command_cpu check "$packet")
    next=$(command_cpu next "$packet" --for claude-code --replies "$top/replies" --write)
    printf '{"hook_event_name":"PreToolUse","tool_name":"Write","cwd":"%s","tool_input":{"file_path":"%s/chapters/1.md","content":""}}' \
        "$top/book" "$top/book" > "$top/input"
    hook=$(command_cpu hook claude-code)
    : > "$top/input"
    console
    until_shown 'novel-gate'
    first=$(since "$begun")
    until_shown "$(((packets + 1) / 2)) waiting"
    whole=$(since "$begun")
    sleep 75
    before=$(console_cpu)
    sleep 20
    echo "| $packets | $list ($most) | $check | $next | $hook | $first | $whole | $(cpu_since "$before" 2) | $(memory) |"
    leave
done

echo
echo '| options | form opens, ms CPU | MB | an arrow key, ms CPU | bytes to the terminal |'
echo '|---|---|---|---|---|'
for options in 4 100 10000; do
    project 1 "$options"
    console "'$packet'"
    until_shown '选项 00002'
    sleep 1
    opened=$(cpu_since 0 1)
    size=$(memory)
    tm send-keys -N 2 Down
    sleep 1
    tm pipe-pane "cat > $top/bytes"
    before=$(console_cpu)
    for key in $(seq 100); do
        if [ $((key % 2)) = 0 ]; then tm send-keys Up; else tm send-keys Down; fi
        sleep 0.03
    done
    sleep 1
    each=$(cpu_since "$before" 100)
    echo "| $options | $opened | $size | $each | $(($(wc -c < "$top/bytes") / 100)) |"
    leave
done
