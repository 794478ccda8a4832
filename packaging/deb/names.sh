# The names of this package for packaging/purge.sh. Both are copied into prerm and postrm, in the place of @PURGE@.
say() { echo "lab-api: $*"; }
fail() {
  echo "lab-api: $*" >&2
  exit 1
}
root=
data=/var/lib/lab-api
logs=/var/log/lab-api
settings=/etc/lab-api/lab-api.env
# A file of the package, which dpkg removes.
rotation=
