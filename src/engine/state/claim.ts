/**
 * Whose namespaces are those called `lab-<instance>-…`? A directory `/run/lab-engine/<instance>` says it: which state
 * (LAB_HOME) they belong to, their names, and once they are there, which they are. It is made before the first of them and removed after the last, and lives
 * as long as they can: until the next boot. Nothing is ever deleted that is not in a claim of ours.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../lib/app-error.ts';
import type { EngineContext } from '../core/context.ts';
import { EngineError } from '../core/engine-error.ts';
import { inodeOf, listNames } from '../system/kernel.ts';
import { instanceLockFile, tryLock } from '../system/lock.ts';
import { isInstance, namespacePrefix } from '../core/names.ts';
import { isTexts } from './state.ts';

export interface Claim {
  readonly home: string;
  readonly dir: string;
  readonly names: readonly string[];
  /** Of the namespaces, by name, once all of them exist: a name can come to stand for another one. */
  readonly inodes?: Readonly<Record<string, number>>;
}

type Place = Pick<EngineContext, 'home' | 'runDir'>;

export function claimDirectory(runDir: string, instance: string): string {
  return path.join(runDir, 'lab-engine', instance);
}

/** Where a claim is made ready or taken apart, so that it appears and goes as a whole. One per state directory. */
function workDirectory({ home, runDir }: Place, instance: string): string {
  const owner = createHash('sha256').update(home).digest('hex').slice(0, 12);
  return path.join(runDir, 'lab-engine', `.${instance}-${owner}`);
}

/** Undefined also for one that somebody damaged: then nobody knows whose the namespaces are, and nothing is ours. */
async function readAnyClaim(runDir: string, instance: string): Promise<Claim | undefined> {
  const file = path.join(claimDirectory(runDir, instance), 'claim.json');
  try {
    const claim = JSON.parse(await readFile(file, 'utf8')) as Claim;
    return isTexts(claim.names) && isTexts([claim.home, claim.dir]) ? claim : undefined;
  } catch {
    return undefined;
  }
}

/** Our claim on the namespaces of the instance; undefined when there is none, or somebody else has it. */
export async function readClaim(place: Place, instance: string): Promise<Claim | undefined> {
  const claim = await readAnyClaim(place.runDir, instance);
  return claim?.home === place.home ? claim : undefined;
}

/** Our claims by instance: what is known of a lab when its state was lost. */
export async function ownClaims(place: Place): Promise<ReadonlyMap<string, Claim>> {
  const names = await readdir(path.join(place.runDir, 'lab-engine')).catch(() => []);
  const claims = new Map<string, Claim>();
  for (const instance of names.filter(isInstance)) {
    const claim = await readClaim(place, instance);
    if (claim !== undefined) claims.set(instance, claim);
  }
  return claims;
}

/** Those of our claim that exist, and are still what we made. */
export function claimedNames(runDir: string, instance: string, claim: Claim): string[] {
  const existing = listNames(runDir);
  const prefix = namespacePrefix(instance);
  const isOurs = (name: string): boolean => {
    const [made, found] = [claim.inodes?.[name], inodeOf(runDir, name)];
    return made === undefined || found === undefined || made === found;
  };
  return claim.names.filter((name) => name.startsWith(prefix) && existing.has(name) && isOurs(name));
}

/** Notes which namespaces the names of our claim stand for, when all of them were made. */
export async function identifyClaimed(place: Place, instance: string): Promise<void> {
  const claim = await readClaim(place, instance);
  if (claim === undefined) return;
  const inodes = Object.fromEntries(claim.names.map((name) => [name, inodeOf(place.runDir, name) ?? 0]));
  await writeClaim(claimDirectory(place.runDir, instance), { ...claim, inodes });
}

/** Removes a claim of ours that a command was making, or taking apart, when it was killed. */
export async function dropHalfClaim(place: Place, instance: string): Promise<void> {
  const work = workDirectory(place, instance);
  await rm(work, { recursive: true, force: true });
  await rmdir(path.dirname(work)).catch(() => undefined);
}

/** Gives the claim up. Its namespaces must be gone: afterwards nobody knows whose they were. */
export async function dropClaim(place: Place, instance: string): Promise<void> {
  const work = workDirectory(place, instance);
  await rm(work, { recursive: true, force: true });
  await rename(claimDirectory(place.runDir, instance), work).catch(() => undefined);
  await dropHalfClaim(place, instance);
}

async function writeClaim(directory: string, claim: Claim): Promise<void> {
  const file = path.join(directory, 'claim.json');
  await writeFile(`${file}.new`, `${JSON.stringify(claim)}\n`);
  await rename(`${file}.new`, file);
}

/** Takes names out of our claim that turned out to be somebody else's. */
export async function disclaim(place: Place, instance: string, names: readonly string[]): Promise<void> {
  const claim = await readClaim(place, instance);
  if (claim === undefined || names.length === 0) return;
  const rest = claim.names.filter((name) => !names.includes(name));
  await writeClaim(claimDirectory(place.runDir, instance), { ...claim, names: rest });
}

function inUse(instance: string, owner: string): EngineError {
  return new EngineError(
    `the lab instance ${instance} is in use by another person or program (its state is in ${owner}); ` +
      'choose another: --plugin multilab --set defaults.multilab.id=<number>',
  );
}

/** Whether the claim's owner has namespaces, or is about to make them. A claim that was merely left behind is nobody's. */
async function isActive(runDir: string, instance: string, claim: Claim): Promise<boolean> {
  if (claimedNames(runDir, instance, claim).length > 0) return true;
  const lockFile = instanceLockFile(claim.home, instance);
  if (!existsSync(lockFile)) return false;
  const lock = await tryLock(lockFile, { waitSeconds: 0 });
  await lock?.release();
  return lock === undefined;
}

/**
 * Claims these names for a lab that is about to be made.
 * @throws EngineError when one of them exists and is not ours, or when somebody else has the instance.
 */
export async function makeClaim(
  context: Place & { cwd: string },
  instance: string,
  names: readonly string[],
) {
  const { home, runDir, cwd } = context;
  const other = await readAnyClaim(runDir, instance);
  if (other !== undefined && other.home !== home && (await isActive(runDir, instance, other))) {
    throw inUse(instance, other.home);
  }
  const existing = listNames(runDir);
  const foreign = names.filter((name) => existing.has(name));
  if (foreign.length > 0) {
    throw new EngineError(
      `network namespaces of these names exist and are not ours: ${foreign.slice(0, 5).join(', ')}; ` +
        'remove them (ip netns del …), or choose another lab instance: --plugin multilab --set defaults.multilab.id=<number>',
    );
  }
  await dropClaim(context, instance);
  const work = workDirectory(context, instance);
  await mkdir(work, { recursive: true });
  await writeClaim(work, { home, dir: cwd, names });
  await rename(work, claimDirectory(runDir, instance)).catch((error: unknown) => {
    const isTaken = ['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '');
    throw isTaken ? inUse(instance, 'another directory') : error;
  });
}
