#!/bin/sh
# shellcheck disable=SC2086 # $again is several words
# Starts a lab on a lab-api server, runs a command while it is up, and stops it whatever happens.
#
#   LAB_API_URL=https://lab.example.org:8090 LAB_API_USER=ci LAB_API_PASSWORD=... \
#     with-lab.sh TOPOLOGY WORKDIR COMMAND [ARGUMENT...]
#   with-lab.sh --stop-only WORKDIR
#
# TOPOLOGY is a file here, WORKDIR a directory of the lab server that this lab has for itself. Needs curl and jq.
# The exit code is that of COMMAND; 1 when the lab did not start.
set -eu
api=${LAB_API_URL:-http://127.0.0.1:8090}
topology=$1
workdir=$2
shift 2
job=''   # the one that we wait for
child='' # the program that we wait for

# The password goes over a pipe: among the arguments of curl, everybody could read it in the list of processes.
call() {
  printf 'user = "%s"\n' "$(printf '%s' "${LAB_API_USER:-}:${LAB_API_PASSWORD:-}" | sed 's/[\\"]/\\&/g')" |
    sed '/= ":"$/d' |
    curl -K - -sS --fail-with-body "$@"
}

# A server that restarts is there again within a minute.
again='--retry 6 --retry-connrefused'

# A shell takes a signal while it waits, and not before the end of a program that it runs in the foreground.
attend() {
  "$@" <&0 &
  child=$!
  wait "$child"
}

# Submits the request, prints the log, and waits for the end. Fails when the job does.
# The key lets curl ask again after a lost connection: the server starts one job for it, however often it is asked.
run() {
  accepted=$(call $again -H "Idempotency-Key: $(cat /proc/sys/kernel/random/uuid)" -d "$1" "$api/jobs") || {
    echo "refused: $accepted" >&2
    return 1
  }
  job=$(printf '%s' "$accepted" | jq -r .id)
  attend call -N "$api/jobs/$job/log?follow=true&plain=true" ||
    echo "the log broke off; all of it: $api/jobs/$job/log?output=text" >&2
  while ended=$(call $again "$api/jobs/$job?wait=60") && [ "$(printf '%s' "$ended" | jq -r .finishedAt)" = null ]; do :; done
  job=''
  printf '%s' "$ended" | jq -r '"\(.action): \(.state) \(.error // "")"' >&2
  [ "$(printf '%s' "$ended" | jq -r .state)" = success ]
}

down() {
  run "$(jq -n --arg workdir "$workdir" '{action: "down", $workdir, cleanup: true, force: true}')"
}

stop() {
  code=$?
  trap - EXIT
  trap '' INT TERM
  [ -z "$child" ] || kill "$child" 2>/dev/null || true
  [ -z "$job" ] || call -X POST "$api/jobs/$job/cancel" >/dev/null || true
  down || [ $code != 0 ] || code=1
  exit $code
}

if [ "$topology" = --stop-only ]; then
  down
  exit
fi

trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

run "$(jq -n --rawfile topology "$topology" --arg workdir "$workdir" '{action: "up", $workdir, $topology}')"
attend "$@"
