/** Whether a command line names a server, by the option that no lab CLI has. A variable alone does not count. */

const switches: ReadonlySet<string> = new Set(['--insecure', '--stdin', '--raw']);

/** Of `lab exec`, where it is said before the lab: what follows a node is a command's own. */
export function namesServerFirst(args: readonly string[]): boolean {
  for (let at = 0; args[at]?.startsWith('--'); at += 1) {
    const [name = '', value] = args[at]?.split('=') ?? [];
    if (name === '--server') return true;
    // The next word is its value.
    if (value === undefined && !switches.has(name)) at += 1;
  }
  return false;
}

/** Of a command whose options may stand anywhere in front of a `--`. */
export function namesServerAnywhere(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return options.some((word) => word === '--server' || word.startsWith('--server='));
}
