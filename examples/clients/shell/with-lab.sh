#!/bin/sh
# shellcheck disable=SC2086 # $again is several words
set -eu

usage() {
  cat <<'END'
Starts a lab on a lab-api server, runs a command while it is up, and stops it whatever happens.

  with-lab.sh TOPOLOGY WORKDIR COMMAND [ARGUMENT...]
  with-lab.sh --stop-only WORKDIR

TOPOLOGY is a local file. WORKDIR is a directory on the lab server, used only for this lab: a lab that is up there is
started anew, and stopped in the end. Needs curl and jq.

  LAB_API_URL            where the server is (http://127.0.0.1:8090)
  LAB_API_USER           user name, with LAB_API_PASSWORD or LAB_API_PASSWORD_FILE
  LAB_API_CACERT         file of certificates to trust in place of those of the system

The exit code is that of COMMAND; 1 when the lab did not start or did not stop, 2 for a mistake in the arguments.
END
}

mistake() {
  echo "with-lab.sh: $1" >&2
  exit 2
}

case ${1:-} in
  -h | --help) usage && exit ;;
  --stop-only) [ $# = 2 ] ;;
  *) [ $# -ge 3 ] ;;
esac || {
  usage >&2
  exit 2
}
topology=$1
workdir=$2
shift 2
[ "$topology" = --stop-only ] || [ -f "$topology" ] || mistake "no such file: $topology"

api=${LAB_API_URL:-http://127.0.0.1:8090}
api=${api%/}
password=${LAB_API_PASSWORD:-}
if [ -n "${LAB_API_PASSWORD_FILE:-}" ] && [ -z "$password" ]; then
  password=$(cat "$LAB_API_PASSWORD_FILE") || mistake 'LAB_API_PASSWORD_FILE cannot be read'
fi

asked='' # whether the server may have accepted a request
job=''   # the job to wait for
child='' # the local program to wait for

# The password goes through a pipe: other users can read the arguments of curl in the list of processes.
call() {
  printf 'user = "%s"\n' "$(printf '%s' "${LAB_API_USER:-}:$password" | sed 's/[\\"]/\\&/g')" |
    sed '/= ":"$/d' |
    curl -K - -s --fail-with-body ${LAB_API_CACERT:+--cacert "$LAB_API_CACERT"} "$@"
}

# A server that restarts answers again within a minute. The output of a failed request ends in a line with the reason.
again='--retry 6 --retry-connrefused -w %{onerror}\n%{http_code}:%{errormsg}\n'

# A field of the last reply. curl also prints the replies before each retry.
field() {
  jq -rs "last | $1"
}

# The reason why a request failed, as text.
reason() {
  last=$(printf '%s\n' "$1" | tail -n 1)
  case $last in
    000:*) echo "cannot reach $api: ${last#000:}" ;;
    *)
      detail=$(printf '%s\n' "$1" | sed '$d' | field '.detail // empty' 2>/dev/null) || detail=''
      echo "refused: ${detail:-HTTP status ${last%%:*} from $api}"
      ;;
  esac
}

# Whether a failed request, with this exit code of curl, can have started a job.
may_have_started() {
  case $1 in
    # No such host, connection refused, no answer, untrusted certificate.
    5 | 6 | 7 | 28 | 35 | 60 | 77) [ -n "$(printf '%s\n' "$2" | sed '$d')" ] ;;
    22) case $(printf '%s\n' "$2" | tail -n 1) in 4*) false ;; esac ;;
  esac
}

# Waits in the background: a shell handles a signal during `wait`, but not during a program in the foreground.
attend() {
  "$@" <&0 &
  child=$!
  wait "$child"
}

# Submits the action with its request, prints the log, and waits for the end. Fails when the job does.
# The key lets curl repeat the request after a lost connection: the server starts one job per key.
run() {
  asked=yes
  key=$(cat /proc/sys/kernel/random/uuid)
  accepted=$(call $again -H "Idempotency-Key: $key" -d "$2" "$api/jobs") || {
    may_have_started $? "$accepted" || asked=''
    echo "$1: $(reason "$accepted")" >&2
    return 1
  }
  job=$(printf '%s' "$accepted" | field .id)
  attend call -N "$api/jobs/$job/log?follow=true&plain=true" ||
    echo "the log broke off; all of it: $api/jobs/$job/log?output=text" >&2
  ended='{}'
  while [ "$(printf '%s' "$ended" | field .finishedAt)" = null ]; do
    ended=$(call $again "$api/jobs/$job?wait=60") || {
      echo "$1: $(reason "$ended")" >&2
      return 1
    }
  done
  job=''
  printf '%s' "$ended" | field '"\(.action): \(.state) \(.error // "")"' >&2
  [ "$(printf '%s' "$ended" | field .state)" = success ]
}

down() {
  run down "$(jq -n --arg workdir "$workdir" '{action: "down", $workdir, cleanup: true, force: true}')"
}

stop() {
  code=$?
  trap - EXIT
  trap '' INT TERM
  [ -z "$child" ] || kill "$child" 2>/dev/null || true
  [ -z "$job" ] || call -X POST "$api/jobs/$job/cancel" >/dev/null || true
  [ -z "$asked" ] || down || [ $code != 0 ] || code=1
  exit $code
}

if [ "$topology" = --stop-only ]; then
  down
  exit
fi

trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

up=$(jq -n --rawfile topology "$topology" --arg workdir "$workdir" '{action: "up", $workdir, $topology}')
run up "$up"
attend "$@"
