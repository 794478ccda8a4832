import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readPlainFile } from '../../../lib/files/plain-file.ts';

interface Claim {
  readonly instance: string;
  readonly dir: unknown;
  readonly names: readonly unknown[];
}

/** Who has which namespaces (docs/engine.md): `/run/lab-engine/<instance>/claim.json`. */
async function readClaims(runDir: string): Promise<Claim[]> {
  const directory = path.join(runDir, 'lab-engine');
  const instances = (await readdir(directory).catch(() => [])).filter((name) => !name.startsWith('.'));
  const claims = await Promise.all(
    instances.map(async (instance) => {
      try {
        const reading = await readPlainFile(path.join(directory, instance, 'claim.json'));
        const claim: unknown = JSON.parse(reading.kind === 'found' ? reading.text : '');
        const { dir, names } = claim as { dir?: unknown; names?: unknown };
        return [{ instance, dir, names: Array.isArray(names) ? (names as unknown[]) : [] }];
      } catch {
        // Damaged, or given up in this moment.
        return [];
      }
    }),
  );
  return claims.flat();
}

/**
 * The namespaces that are left of the lab in `workdir`: those that its claim names, and those that are called after its
 * instance and claimed by nobody. What `ip netns list` shows is the directory `netns`; those of a lab without root rights
 * are not in it, and went with the process that held them.
 */
export async function remainsOfLab(
  { workdir, instance }: { readonly workdir: string; readonly instance: string | null },
  runDir = '/run',
): Promise<readonly string[]> {
  // The names first: a lab of the same instance that is being started elsewhere claims its names before they exist.
  const existing = await readdir(path.join(runDir, 'netns')).catch(() => []);
  const claims = await readClaims(runDir);
  const claim = claims.find(({ dir }) => dir === workdir);
  const isTaken = claims.some((other) => other !== claim && other.instance === instance);
  const prefix = `lab-${instance}-`;
  return existing.filter(
    (name) =>
      claim?.names.includes(name) === true || (instance !== null && !isTaken && name.startsWith(prefix)),
  );
}
