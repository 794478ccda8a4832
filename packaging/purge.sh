# What scripts/install-service.sh and the scripts of the Debian package have in common when they remove lab-api. Read by the
# former, and copied into the latter. Before it: `say` and `fail`, and the variables root, data, logs, settings and rotation.

# The data directory that the settings name, when it is another.
chosen_data() {
  sed -n 's/^LAB_API_DATA_DIR=//p' "$settings" 2>/dev/null | tail -n 1 | sed "s/^[\"']\\(.*\\)[\"']\$/\\1/" | grep -vx /var/lib/lab-api || true
}

# Jobs of this service that have not ended: every process of a job carries its id (docs/architecture.md).
running_jobs() {
  chosen=$(chosen_data)
  cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | sed -n 's/^LAB_JOB_ID=//p' | sort -u | while read -r id; do
    for place in "$data" "${chosen:-$data}"; do
      if [ -d "$place/jobs/$id" ] && [ ! -f "$place/jobs/$id/exit.json" ]; then
        printf '%s ' "$id"
        break
      fi
    done
  done
}

# Before anything is touched: what a purge could not finish, it does not begin.
refuse_purge() {
  jobs=$(running_jobs)
  [ -z "$jobs" ] || fail "nothing was removed, for these jobs run: ${jobs% }. Cancel them first (POST /jobs/ID/cancel)"
  for directory in "$data" "$logs"; do
    mounted=$(mounts_in "$directory" | head -n 1)
    [ -z "$mounted" ] || fail "nothing was removed, for $mounted is a mount point; unmount it first"
  done
}

# The mount points in this directory, and itself if it is one.
mounts_in() {
  cut -d ' ' -f 5 /proc/self/mountinfo | while read -r place; do
    case $place/ in "$1"/*) printf '%s\n' "$place" ;; esac
  done
}

# After the service has been stopped. Its unit may have another user.
refuse_processes() {
  [ -z "$root" ] || return 0
  if id lab-api >/dev/null 2>&1 && pgrep -u lab-api >/dev/null; then
    fail 'nothing was removed: processes of the user lab-api run, perhaps of a lab; take it down, then try again'
  fi
  if cat /proc/[0-9]*/cgroup 2>/dev/null | grep -q '/lab-api\.service'; then
    fail 'nothing was removed: processes that the service has started run (systemd-cgls -u lab-api), perhaps of a lab; take it down, then try again'
  fi
}

# The settings, the rotation, the data directory and the audit; nothing that a link leads to.
purge_files() {
  if [ -e "$settings" ]; then
    elsewhere=$(chosen_data)
    rm "$settings"
    rmdir "$(dirname "$settings")" 2>/dev/null || true
    say "removed $settings"
    if [ -n "$elsewhere" ]; then say "this data directory stays, because somebody chose it: $elsewhere"; fi
  fi
  if [ -e "$rotation" ]; then
    rm "$rotation"
    say "removed $rotation"
  fi
  for directory in "$data" "$logs"; do
    if [ -L "$directory" ]; then
      say "$directory is a link; it and what it leads to stay"
    elif [ -d "$directory" ]; then
      rm -rf --one-file-system -- "$directory"
      say "removed $directory"
    fi
  done
}

purge_user() {
  if [ -z "$root" ] && [ "$(getent passwd lab-api | cut -d: -f6)" = /var/lib/lab-api ]; then
    userdel lab-api
    say 'removed the user lab-api'
  fi
}
