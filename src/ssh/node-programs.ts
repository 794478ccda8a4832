/** The programs that the requests of a client run in a node. A node has `sh`, and perhaps more. */

/** As a server of SSH does it: a login shell reads commands from its standard input. */
export const shellProgram: readonly string[] = [
  'sh',
  '-c',
  'command -v bash >/dev/null && exec bash -l; exec sh -l',
];

/** The command is a line for a shell (RFC 4254, section 6.5). */
export function commandProgram(line: string): readonly string[] {
  return ['sh', '-c', 'command -v bash >/dev/null && exec bash -c "$1"; exec sh -c "$1"', 'sh', line];
}

/** Where Debian, Alpine, Fedora, SUSE, Arch, the BSDs and Buildroot have the program. */
const places = [
  '/usr/lib/openssh',
  '/usr/lib/ssh',
  '/usr/libexec/openssh',
  '/usr/libexec',
  '/usr/lib/misc',
  '/usr/local/libexec',
];

/** The node's own: it sees the node's files, and speaks the version that a client may expect. */
export const sftpProgram: readonly string[] = [
  'sh',
  '-c',
  `for place in ${places.join(' ')}; do [ -x "$place/sftp-server" ] && exec "$place/sftp-server"; done
command -v sftp-server >/dev/null && exec sftp-server
echo 'lab-api: this node has no sftp-server. Install openssh-sftp-server in it, or copy with "scp -O" (needs scp in the node), or with "ssh NODE.LAB@SERVER cat FILE"' >&2
exit 127`,
];
