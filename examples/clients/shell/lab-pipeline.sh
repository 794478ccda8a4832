#!/bin/sh
set -eu

usage() {
  cat <<'END'
Starts a lab, runs its tests and its scenarios, keeps the results as JUnit, and takes the lab down whatever happens.

  lab-pipeline.sh run
  lab-pipeline.sh stop     takes down what a run has left that was killed; does nothing after a run that ended

Needs the program `lab`, and Node, which it runs on.

  LAB_API_URL       where the server is; empty: a service is started for this run, on 127.0.0.1 and LAB_API_PORT
  LAB_API_TOKEN     a token of an operator, for a server
  LAB_DIRECTORY     the directory with topology.yml (.)
  LAB_WORKSPACE     the workspace of the lab on the server, used for nothing else (ci)
  LAB_SCENARIOS     files with scenarios, with spaces between them; none when empty
  LAB_RESULTS       the directory for the results: tests.xml, scenario-1.xml, service.log (results)
  LAB_STATE         a directory that the next step finds again (RUNNER_TEMP, or .lab-pipeline)

The exit code is 0 if the lab came up, all tests and scenarios passed, and the lab was taken down.
END
}

results=${LAB_RESULTS:-results}
state=${LAB_STATE:-${RUNNER_TEMP:-.lab-pipeline}}
# Names of jobs may have capitals, and be longer than the name of a workspace.
workspace=$(printf %s "${LAB_WORKSPACE:-ci}" | tr '[:upper:]' '[:lower:]' | cut -c 1-63)
own_url=http://127.0.0.1:${LAB_API_PORT:-8090}
if [ -z "${LAB_API_URL:-}" ]; then
  is_own=yes
  export LAB_API_URL="$own_url"
fi

is_alive() { lab health >"$state/health" 2>&1; }

# Without a server, one for this run, and one more for the step `stop` when that was killed: it finds the lab in the same place.
start_service() {
  [ -n "${is_own:-}" ] || return 0
  ! is_alive || return 0
  LAB_API_BIND=127.0.0.1 LAB_API_DATA_DIR=$(cd "$state" && pwd)/lab-api lab api >>"$results/service.log" 2>&1 &
  echo $! >"$state/lab-service.pid"
  tries=0
  until is_alive; do
    tries=$((tries + 1))
    if [ $tries -gt 60 ] || ! kill -0 "$(cat "$state/lab-service.pid")"; then
      cat "$results/service.log" >&2
      return 1
    fi
    sleep 1
  done
}

stop_service() {
  [ -f "$state/lab-service.pid" ] || return 0
  kill "$(cat "$state/lab-service.pid")" 2>/dev/null || true
  rm -f "$state/lab-service.pid"
}

# The ids of the jobs that still run or wait there: the lab would wait for their end.
unfinished() {
  lab jobs --workspace "$workspace" --state queued --state running -o json |
    node -e 'for (const { id } of JSON.parse(require("fs").readFileSync(0, "utf8"))) console.log(id)'
}

stop() {
  stopped=0
  if [ -f "$state/lab-pushed" ]; then
    start_service || stopped=1
    for job in $(unfinished || true); do lab cancel "$job" || true; done
    lab start down --workspace "$workspace" --cleanup --force --wait || stopped=1
    [ $stopped != 0 ] || rm -f "$state/lab-pushed"
  fi
  stop_service
  return $stopped
}

# However the script ends.
finish() {
  code=$?
  trap - EXIT
  stop || code=1
  exit $code
}

run() {
  mkdir -p "$results" "$state"
  trap finish EXIT
  trap 'exit 130' INT TERM
  start_service
  : >"$state/lab-pushed"
  lab push "${LAB_DIRECTORY:-.}" "$workspace"
  # Should this machine fail, the service takes the lab down by itself.
  lab start up --workspace "$workspace" --multilab-id auto --on-failure down --on-cancel down --ttl 2h \
    --wait-ready 5m --wait -o json >"$state/up.json" || {
    cat "$state/up.json"
    return 1
  }
  lab=$(node -p 'JSON.parse(require("fs").readFileSync(process.argv[1], "utf8")).instance' "$state/up.json")
  failed=0
  # A lab without tests has nothing to validate.
  if [ -n "$(lab validate --server "$LAB_API_URL" --instance "$lab" --list)" ]; then
    lab validate --server "$LAB_API_URL" --instance "$lab" --junit "$results/tests.xml" || failed=1
  fi
  number=0
  for scenario in ${LAB_SCENARIOS:-}; do
    number=$((number + 1))
    lab scenario run "$scenario" --workspace "$workspace" --junit "$results/scenario-$number.xml" || failed=1
  done
  return $failed
}

case ${1:-} in
  run) run ;;
  stop) stop ;;
  -h | --help) usage ;;
  *)
    usage >&2
    exit 2
    ;;
esac
