import { statSync } from 'node:fs';
import path from 'node:path';
import { secretVariables } from '../config/settings.ts';
import { ok, skipped, warning, type Finding, type Subject } from './finding.ts';

/** The sessions of browsers. */
const sessionsFile = 'sessions.json';
/** Docker puts secrets there with mode 0444, into a container that has no other users. */
const dockerSecrets = '/run/secrets/';

/** Undefined for a missing or unreadable file: the check that needs it reports that. */
function modeOf(file: string): number | undefined {
  try {
    return statSync(file).mode;
  } catch {
    return undefined;
  }
}

/** Whether other users of the machine may read or write what holds passwords, secrets and sessions. */
export function checkSecretFiles({ config: { dataDir }, env }: Subject): Finding {
  const named = secretVariables.flatMap((variable) => env[`${variable}_FILE`] || []);
  const files = [...named, path.join(dataDir, sessionsFile)].filter((file) => modeOf(file) !== undefined);
  if (files.length === 0) return skipped('no secret is in a file of its own');
  const open = files.filter((file) => ((modeOf(file) ?? 0) & 0o007) !== 0 && !file.startsWith(dockerSecrets));
  if (open.length === 0) return ok(files.join(', '));
  return warning(`other users of this machine may read ${open.join(', ')}`, `chmod o= ${open.join(' ')}`);
}
