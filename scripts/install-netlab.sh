#!/bin/sh
# Installs netlab and Ansible in a virtual environment of their own. `--help` says more.
set -eu

# Pinned: what was tested together. `ansible` rather than `ansible-core`: `netlab collect` needs the docker connection
# plugin, which only the larger package has.
netlab_package='networklab==26.10'
ansible_package='ansible==11.10.0'

usage() {
  cat <<'TEXT'
usage: install-netlab.sh [--prefix DIRECTORY]

Installs netlab 26.10 and Ansible 11.10.0 from PyPI in a Python virtual environment. Safe to run again: what is
installed already stays. Removing the directory uninstalls it.

  --prefix DIRECTORY   where to install (default: NETLAB_HOME, else /opt/netlab for root, ~/.local/share/netlab for
                       others)
  --help               this text

Afterwards put DIRECTORY/bin first on PATH. `netlab up` needs a provider as well: containerlab and Docker for
containers, or libvirt and Vagrant for virtual machines.
TEXT
}

say() { printf 'install-netlab: %s\n' "$*"; }
fail() {
  printf 'install-netlab: %s\n' "$*" >&2
  exit 1
}

if [ -n "${NETLAB_HOME:-}" ]; then
  prefix=$NETLAB_HOME
elif [ "$(id -u)" -eq 0 ]; then
  prefix=/opt/netlab
else
  prefix=${HOME:?HOME is not set; use --prefix}/.local/share/netlab
fi

while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      usage
      exit 0
      ;;
    --prefix)
      [ $# -ge 2 ] && [ -n "$2" ] || fail '--prefix needs a directory'
      prefix=$2
      shift 2
      ;;
    --prefix=?*)
      prefix=${1#--prefix=}
      shift
      ;;
    *)
      printf 'install-netlab: "%s" is not an option\n\n' "$1" >&2
      usage >&2
      exit 2
      ;;
  esac
done

# A virtual environment has its own path written in its programs.
case $prefix in
  /*) ;;
  *) prefix=$PWD/$prefix ;;
esac

command -v python3 >/dev/null 2>&1 ||
  fail 'python3 is not on PATH. Debian, Ubuntu: apt install python3 python3-venv. Fedora: dnf install python3'
python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))' ||
  fail "netlab needs Python 3.9 or newer; this is $(python3 --version 2>&1). Put a newer python3 first on PATH"
python3 -c 'import venv, ensurepip' 2>/dev/null ||
  fail 'the Python modules venv and ensurepip are missing. Debian, Ubuntu: apt install python3-venv'

if [ ! -x "$prefix/bin/pip" ] || ! "$prefix/bin/python3" -c '' 2>/dev/null; then
  if [ -d "$prefix" ] && [ -n "$(ls -A "$prefix")" ] && [ ! -f "$prefix/pyvenv.cfg" ]; then
    fail "$prefix is not empty and is no virtual environment; choose another --prefix"
  fi
  say "making the virtual environment $prefix"
  # --clear: an upgrade of Python leaves an environment behind that does not start any more.
  python3 -m venv --clear "$prefix" || fail "cannot make $prefix; choose another --prefix, or run as root"
fi

say "installing $netlab_package and $ansible_package"
"$prefix/bin/pip" install --quiet --disable-pip-version-check "$netlab_package" "$ansible_package" ||
  fail 'pip could not install the packages; its words above say why'

# By its full path, but netlab looks for Ansible on PATH.
PATH=$prefix/bin:$PATH netlab version >/dev/null 2>&1 || fail "netlab was installed and does not start: try $prefix/bin/netlab version"

say 'done. Put it on PATH, in ~/.profile too:'
# shellcheck disable=SC2016 # $PATH is for the reader's shell.
printf '\n  export PATH="%s/bin:$PATH"\n\n' "$prefix"
command -v docker >/dev/null 2>&1 || say 'note: `netlab up` with containers needs Docker, which is not on PATH'
command -v containerlab >/dev/null 2>&1 || [ -x "$prefix/bin/containerlab" ] ||
  say 'note: `netlab up` with containers needs containerlab (https://containerlab.dev/install/), which is not on PATH'
