#!/bin/sh
# Installs lab-api as a systemd service, or removes it. `--help` says more.
set -eu

usage() {
  cat <<'TEXT'
usage: install-service.sh [--user NAME] [--root DIRECTORY]
       install-service.sh --uninstall [--purge] [--root DIRECTORY]
       install-service.sh --settings-only

Installs the lab-api beside which this script lies as the systemd service "lab-api", and starts it. Safe to run again:
after an upgrade too. Running jobs go on. What it makes:

  /etc/systemd/system/lab-api.service   the unit
  /etc/lab-api/lab-api.env              the settings, 0600, with a generated password; an existing file stays as it is
  /etc/logrotate.d/lab-api              the rotation of the audit; an existing file stays as it is
  /var/lib/lab-api                      the data directory, with the directory "labs"; 0700
  /var/log/lab-api                      the audit; 0700
  the system user lab-api               unless --user names another

  --user NAME    who runs the service and the labs (default: lab-api, made when it does not exist).
                 An ordinary user is enough for the bundled engine where user namespaces are allowed. netlab with
                 containers wants more: the group docker, which is as good as root, and sudo without a password.
                 root does everything, and so may everybody who knows the password of the service.
  --uninstall    stop the service and remove the unit; settings, data directory and user stay
  --purge        with --uninstall: remove the settings, the user lab-api, /var/lib/lab-api with all jobs, logs and
                 labs in it, and the audit in /var/log/lab-api. Refused while a job runs
  --root DIRECTORY   write below this directory, for images and packages: nothing is started and no user is made
  --settings-only    make the user lab-api and the settings, and nothing else: the Debian package has the unit
  --help         this text
TEXT
}

say() { printf 'install-service: %s\n' "$*"; }
fail() {
  printf 'install-service: %s\n' "$*" >&2
  exit 1
}
wrong() {
  printf 'install-service: %s\n\n' "$*" >&2
  usage >&2
  exit 2
}

user=
root=
uninstall=
purge=
settings_only=
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      usage
      exit 0
      ;;
    --user | --root)
      [ $# -ge 2 ] && [ -n "$2" ] || wrong "$1 needs a value"
      if [ "$1" = --user ]; then user=$2; else root=$2; fi
      shift
      ;;
    --uninstall) uninstall=1 ;;
    --purge) purge=1 ;;
    --settings-only) settings_only=1 ;;
    *) wrong "\"$1\" is not an option" ;;
  esac
  shift
done
[ -z "$purge" ] || [ -n "$uninstall" ] || wrong '--purge goes with --uninstall'
if [ -n "$root" ]; then
  [ -d "$root" ] || fail "there is no directory $root"
  root=$(cd "$root" && pwd -P)
  [ "$root" != / ] || fail 'this machine is installed without --root'
elif [ "$(id -u)" -ne 0 ]; then
  fail 'this needs root: sudo, or --root for a directory of your own'
fi

package=$(cd "$(dirname "$0")/.." && pwd -P)
unit=$root/etc/systemd/system/lab-api.service
settings=$root/etc/lab-api/lab-api.env
data=$root/var/lib/lab-api
logs=$root/var/log/lab-api
rotation=$root/etc/logrotate.d/lab-api
. "$package/packaging/purge.sh"

# An upgrade leaves the user as it is: jobs and labs are that user's.
installed_user=$(sed -n 's/^User=//p' "$unit" 2>/dev/null | head -n 1)
user=${user:-${installed_user:-lab-api}}
# The unit of the Debian package has this user.
[ -z "$settings_only" ] || user=lab-api
case $user in *[!A-Za-z0-9_-]* | -*) wrong "\"$user\" is not the name of a user" ;; esac

# Links in the way would lead out of the directory that was named.
for directory in "$(dirname "$unit")" "$(dirname "$settings")" "$(dirname "$data")" "$(dirname "$logs")" "$(dirname "$rotation")"; do
  [ -z "$root" ] || [ "$(readlink -m "$directory")" = "$directory" ] || fail "$directory leads out of $root: it goes through a link"
done

# A directory of its own is prepared, not this machine; and without systemd as process 1 there is nobody to tell.
if [ -z "$root" ] && [ -d /run/systemd/system ]; then has_systemd=1; else has_systemd=; fi

# Replaces a file in one step, unless it is the same already. The content comes from standard input.
put() { # put FILE MODE
  mkdir -p "$(dirname "$1")"
  (
    umask 077
    cat >"$1.new"
  )
  chmod "$2" "$1.new"
  if cmp -s "$1.new" "$1"; then
    rm "$1.new"
    say "$1 is up to date"
  else
    mv -f "$1.new" "$1"
    say "wrote $1"
  fi
}

make_user() {
  if [ "$user" = root ] || [ -n "$root" ] || id "$user" >/dev/null 2>&1; then return; fi
  [ "$user" = lab-api ] || fail "there is no user $user; make it, or leave --user out"
  # A purge leaves the group when it has other members.
  if getent group lab-api >/dev/null; then group='--gid lab-api'; else group=--user-group; fi
  # shellcheck disable=SC2086 # two words
  useradd --system $group --home-dir /var/lib/lab-api --no-create-home --shell /usr/sbin/nologin lab-api
  say 'made the system user lab-api'
}

# Node and the program by their full paths: systemd knows neither a login shell's PATH nor nvm.
find_program() {
  node=$package/bin/node
  [ -x "$node" ] || node=$(command -v node) || fail 'node is not on PATH; with sudo: sudo env "PATH=$PATH" install-service.sh'
  node=$(readlink -f "$node")
  main=$package/dist/main.js
  [ -f "$main" ] || fail "there is no $main; run: npm run build"
  case $node$main in *[!A-Za-z0-9/._@+-]*) fail "systemd cannot start a program from this path: $node $main" ;; esac
  if [ -z "$root" ] && [ "$user" != root ]; then
    runuser -u "$user" -- "$node" "$main" --version >/dev/null 2>&1 ||
      fail "the user $user may not run $node $main; install Node and lab-api for all users (npm install -g)"
  fi
}

make_password() {
  password=$(od -An -N20 -tx1 /dev/urandom | tr -d ' \n')
  [ ${#password} -eq 40 ] || fail 'cannot make a password from /dev/urandom'
}

# The unit has LAB_API_REQUIRE_AUTH=true: settings of an earlier version without a user would end the service at its start.
# Who wants it open to everybody says so there. Drop-ins (`systemctl edit`) may have the user too, or name a file with it.
has_user() {
  names='LAB_API_(REQUIRE_AUTH|USER|USER_FILE|USERS_FILE|OIDC_ISSUER)='
  cat "$settings" "$unit.d"/*.conf 2>/dev/null |
    grep -qE "^[[:space:]]*(export[[:space:]]+|Environment=.*)?${names}.|^[[:space:]]*EnvironmentFile=."
}

keep_settings() {
  if has_user; then
    say "$settings stays as it is"
    return
  fi
  make_password
  {
    cat "$settings"
    # The last line may have no end.
    echo
    echo '# There was no user, and the service does not start without one; LAB_API_REQUIRE_AUTH=false would let everybody in.'
    echo 'LAB_API_USER=lab'
    echo "LAB_API_PASSWORD=$password"
  } | put "$settings" 0600
  say "the service had no user, and needs one now: it is lab, and its password is in $settings"
}

write_settings() {
  if [ -e "$settings" ]; then
    keep_settings
    return
  fi
  make_password
  {
    echo '# Settings of the lab-api service, for systemd (EnvironmentFile). Every variable: .env.example of lab-api.'
    echo '# After a change: systemctl restart lab-api (jobs go on). With LAB_API_SETTINGS_FILE=/etc/lab-api/lab-api.env here, limits'
    echo '# change with "lab reload" or systemctl reload lab-api, and without a restart: docs/operations.md says what that needs.'
    echo 'LAB_API_USER=lab'
    echo "LAB_API_PASSWORD=$password"
    echo '# For other machines: 0.0.0.0, with LAB_API_TLS=self-signed or your own certificate, or a reverse proxy in front.'
    echo 'LAB_API_BIND=127.0.0.1'
    echo 'LAB_API_DATA_DIR=/var/lib/lab-api'
    echo '# Who changed what, or was refused (docs/access.md). The unit makes the directory, and logrotate keeps a year of it.'
    echo 'LAB_API_AUDIT_FILE=/var/log/lab-api/audit.jsonl'
    # The PATH of a service is short; where netlab is now is where it will be looked for.
    if [ -z "$root" ] && netlab=$(command -v netlab); then echo "LAB_API_CLI=$netlab"; fi
  } | put "$settings" 0600
  say "the user is lab, and its password is in $settings"
}

install_service() {
  make_user
  if [ -n "$settings_only" ]; then
    write_settings
    return
  fi
  find_program
  write_settings
  sed -e "s|@PROGRAM@|$node $main|g" -e "s|@USER@|$user|g" "$package/packaging/lab-api.service" | put "$unit" 0644
  if [ ! -e "$rotation" ]; then put "$rotation" 0644 <"$package/packaging/lab-api.logrotate"; fi
  if [ -n "$root" ]; then return; fi
  if [ -z "$has_systemd" ]; then
    say 'systemd does not run this machine: nothing was started'
    return
  fi
  systemctl daemon-reload
  systemctl enable --quiet lab-api
  systemctl restart lab-api || fail 'the service does not start; look at: journalctl -u lab-api'
  say 'the service runs; jobs that were running went on'
  say "look whether labs will work: sudo cat $settings | sudo runuser -u $user -- $node $main doctor --settings -"
}

uninstall_service() {
  if [ -n "$purge" ]; then refuse_purge; fi
  if [ -n "$has_systemd" ] && [ -e "$unit" ]; then
    systemctl disable --quiet --now lab-api
    say 'stopped the service'
  fi
  jobs=$(running_jobs)
  if [ -n "$jobs" ]; then say "these jobs go on without the service: $jobs"; fi
  if [ -n "$purge" ] && [ -n "$jobs" ]; then
    if [ -n "$has_systemd" ]; then systemctl enable --quiet --now lab-api; fi
    fail 'nothing was removed, for they began just now; the service runs again. Cancel them first (POST /jobs/ID/cancel)'
  fi
  if [ -n "$purge" ]; then refuse_processes; fi
  if [ -e "$unit" ]; then
    rm "$unit"
    say "removed $unit"
    if [ -n "$has_systemd" ]; then systemctl daemon-reload; fi
  else
    say "there is no $unit"
  fi
  if [ -z "$purge" ]; then
    say "these stay: $settings, $rotation, $data, $logs, the user; --purge removes them"
    return
  fi
  purge_files
  purge_user
}

if [ -n "$uninstall" ]; then uninstall_service; else install_service; fi
