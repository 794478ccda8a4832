/** A word for a shell, quoted if necessary. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A list of arguments as a shell command. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The address of the service and the login there, for commands on the computer of the user. */
export interface Reach {
  readonly url: string;
  /** Null on a server without users. */
  readonly user: string | null;
  /** The key of a self-signed certificate. */
  readonly pin: string | null;
}

/** curl asks for the password of the user. */
const trusting = ({ user, pin }: Reach): string[] => [
  ...(user === null ? [] : ['-u', user]),
  ...(pin === null ? [] : ['-k', '--pinnedpubkey', pin]),
];

/** The request as a curl command, which prints the reply also when it is an error. */
export function curlLine(reach: Reach, request: object): string {
  const line = shellLine(['curl', '-sS', '--fail-with-body', ...trusting(reach), `${reach.url}/jobs`, '-d']);
  const text = JSON.stringify(request);
  // An argument may have 128 KiB, and a topology more.
  return 'topology' in request ? `${line} @- <<'EOF'\n${text}\nEOF` : `${line} ${shellWord(text)}`;
}

/** A shell in a node, through the SSH gateway at this port. */
export function sshLine({ url }: Pick<Reach, 'url'>, port: number, user: string): string {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  return shellLine(['ssh', '-p', String(port), `${user}@${host}`]);
}

/** A capture as a command that shows it in Wireshark; an error goes to the terminal. */
export function wiresharkLine(reach: Reach, path: string): string {
  return `${shellLine(['curl', '-fsSN', ...trusting(reach), `${reach.url}${path}`])} | wireshark -k -i -`;
}
