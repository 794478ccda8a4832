/** The claims of labs on their namespaces (docs/engine.md): `/run/lab-engine/<instance>/claim.json`. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readPlainFile } from '../../../lib/files/plain-file.ts';
import { mapBounded } from '../../../lib/async/map-bounded.ts';
import { shortBytes } from '../../system/foreign-file.ts';

interface Claim {
  readonly instance: string;
  readonly dir: unknown;
  readonly names: ReadonlySet<unknown>;
}

const claimsIn = (runDir: string): string => path.join(runDir, 'lab-engine');

/** The numbered instances that any user of this machine has claimed: the status of a user lists their own labs only. */
export async function claimedInstances(runDir = '/run'): Promise<readonly string[]> {
  const names = await readdir(claimsIn(runDir)).catch(() => []);
  return names.filter((name) => /^\d+$/.test(name));
}

/** Each is short: it has the names of the namespaces of a lab. */
const claimsAtOnce = 8;

async function readClaims(runDir: string): Promise<Claim[]> {
  const directory = claimsIn(runDir);
  const instances = (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith('.'));
  const claims = await mapBounded(instances, claimsAtOnce, async (instance) => {
    try {
      const reading = await readPlainFile(path.join(directory, instance, 'claim.json'), shortBytes);
      const claim: unknown = JSON.parse(reading.kind === 'found' ? reading.text : '');
      const { dir, names } = claim as { dir?: unknown; names?: unknown };
      return [{ instance, dir, names: new Set(Array.isArray(names) ? (names as unknown[]) : []) }];
    } catch {
      // Damaged, or removed at this moment.
      return [];
    }
  });
  return claims.flat();
}

/**
 * The namespaces that are left of the lab in `workdir`: those in its claim, and those named after its instance that no lab
 * claims. The directory `netns` has the namespaces that `ip netns list` prints. A lab without root rights has none there: its
 * namespaces end with the process that holds them.
 */
export async function remainsOfLab(
  { workdir, instance }: { readonly workdir: string; readonly instance: string | null },
  runDir = '/run',
): Promise<readonly string[]> {
  // The names first: a lab of the same instance that starts elsewhere claims its names before they exist.
  const existing = await readdir(path.join(runDir, 'netns')).catch(() => []);
  const claims = await readClaims(runDir);
  const claim = claims.find(({ dir }) => dir === workdir);
  const isTaken = claims.some((other) => other !== claim && other.instance === instance);
  const prefix = `lab-${instance}-`;
  return existing.filter(
    (name) => claim?.names.has(name) === true || (instance !== null && !isTaken && name.startsWith(prefix)),
  );
}
