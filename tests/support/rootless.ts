/** Labs as somebody without privileges starts them: only root can become such a person for a test. */
import { execFileSync } from 'node:child_process';
import { chmodSync } from 'node:fs';
import { missingForUserNamespaces } from './engine-cli.ts';
import { requirement } from './requirements.ts';

/** Starts a command as nobody, who may do nothing. */
export const asNobody = [
  'setpriv',
  '--reuid=65534',
  '--regid=65534',
  '--clear-groups',
  '--bounding-set=-all',
  '--inh-caps=-all',
];

/** Why labs cannot be made as nobody; undefined when they can. Put it into the names of skipped tests. */
export function missingForRootless(): string | undefined {
  const programs = ['ip', 'nsenter', 'unshare', 'setpriv', 'ping'].map((name) => requirement(name).missing);
  const absent = programs.find((reason) => reason !== undefined);
  if (absent !== undefined) return absent;
  if (process.getuid?.() !== 0) return 'only root can become nobody';
  return missingForUserNamespaces(asNobody);
}

/** Makes a directory, with all that is in it, nobody's. */
export function giveToNobody(directory: string): void {
  chmodSync(directory, 0o777);
  execFileSync('chown', ['-R', '65534:65534', directory]);
}
