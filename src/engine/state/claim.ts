/**
 * Claims record the owner of the namespaces called `lab-<instance>-…`. A claim is a directory
 * `/run/lab-engine/<instance>`. Its `claim.json` has the state directory (LAB_HOME) that owns the namespaces, their
 * names and, once they exist, their inodes. `up` makes the claim before the first namespace, `down` removes it after
 * the last; a reboot removes both. The engine only deletes namespaces in its own claims.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../lib/app-error.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { isTexts } from '../core/lab-status.ts';
import { isInstance, mayBeOfLab } from '../core/namespace-names.ts';
import { readOwnFile } from '../system/files.ts';
import { tryLock } from '../system/lock.ts';
import { claimDirectory, inodeOf, namespaceNames } from '../system/namespace-files.ts';
import { instanceLockFile } from './instance-lock.ts';

export interface Claim {
  readonly home: string;
  readonly dir: string;
  readonly names: readonly string[];
  /** By name, once all namespaces exist. The inodes show if another program has replaced a namespace. */
  readonly inodes?: Readonly<Record<string, number>>;
}

/** The owner of the claims (`home`), and their place (`runDir`). */
type Claimant = Pick<EngineContext, 'home' | 'runDir'>;

/**
 * The place where a claim is written before it is moved to its final place, and moved back before it is removed: so a
 * claim appears and disappears as a whole. Each state directory has its own.
 */
function draftDirectory({ home, runDir }: Claimant, instance: string): string {
  const owner = createHash('sha256').update(home).digest('hex').slice(0, 12);
  return path.join(runDir, 'lab-engine', `.${instance}-${owner}`);
}

/**
 * The claim of any owner. Also undefined for a damaged claim: the owner of its namespaces is then unknown, so the
 * engine does not treat them as its own.
 */
export async function readAnyClaim(runDir: string, instance: string): Promise<Claim | undefined> {
  const file = path.join(claimDirectory(runDir, instance), 'claim.json');
  try {
    const claim = JSON.parse(await readOwnFile(file)) as Claim;
    return isTexts(claim.names) && isTexts([claim.home, claim.dir]) ? claim : undefined;
  } catch {
    return undefined;
  }
}

/** Our claim on the namespaces of the instance; undefined if there is none, or another owner has it. */
export async function readClaim(claimant: Claimant, instance: string): Promise<Claim | undefined> {
  const claim = await readAnyClaim(claimant.runDir, instance);
  return claim?.home === claimant.home ? claim : undefined;
}

/** Our claims by instance: with them, `down` finds labs that are missing in the registry. */
export async function ownClaims(claimant: Claimant): Promise<ReadonlyMap<string, Claim>> {
  const names = await readdir(path.join(claimant.runDir, 'lab-engine')).catch(() => []);
  const claims = new Map<string, Claim>();
  for (const instance of names.filter(isInstance)) {
    const claim = await readClaim(claimant, instance);
    if (claim !== undefined) claims.set(instance, claim);
  }
  return claims;
}

/** The names of the claim that exist and still refer to the namespaces that we made. */
export function claimedNames(runDir: string, instance: string, claim: Claim): string[] {
  const existing = namespaceNames(runDir);
  const isOurs = (name: string): boolean => {
    const [made, found] = [claim.inodes?.[name], inodeOf(runDir, name)];
    return made === undefined || found === undefined || made === found;
  };
  return claim.names.filter((name) => mayBeOfLab(instance, name) && existing.has(name) && isOurs(name));
}

/** Adds the inodes of the new namespaces to our claim. */
export async function recordInodes(claimant: Claimant, instance: string): Promise<void> {
  const claim = await readClaim(claimant, instance);
  if (claim === undefined) return;
  const inodes = Object.fromEntries(claim.names.map((name) => [name, inodeOf(claimant.runDir, name) ?? 0]));
  await writeClaim(claimDirectory(claimant.runDir, instance), { ...claim, inodes });
}

/** Removes the leftovers of a command that was killed while it made or removed one of our claims. */
export async function dropHalfClaim(claimant: Claimant, instance: string): Promise<void> {
  const draft = draftDirectory(claimant, instance);
  await rm(draft, { recursive: true, force: true });
  await rmdir(path.dirname(draft)).catch(() => undefined);
}

/** Removes our claim. Its namespaces must be gone: afterwards, their owner would be unknown. */
export async function dropClaim(claimant: Claimant, instance: string): Promise<void> {
  const draft = draftDirectory(claimant, instance);
  await rm(draft, { recursive: true, force: true });
  await rename(claimDirectory(claimant.runDir, instance), draft).catch(() => undefined);
  await dropHalfClaim(claimant, instance);
}

async function writeClaim(directory: string, claim: Claim): Promise<void> {
  const file = path.join(directory, 'claim.json');
  await writeDurably(file, `${JSON.stringify(claim)}\n`, 0o666, `${file}.new`);
}

/** Removes names from our claim because their namespaces belong to another owner. */
export async function disclaim(
  claimant: Claimant,
  instance: string,
  names: readonly string[],
): Promise<void> {
  const claim = await readClaim(claimant, instance);
  if (claim === undefined || names.length === 0) return;
  const rest = claim.names.filter((name) => !names.includes(name));
  await writeClaim(claimDirectory(claimant.runDir, instance), { ...claim, names: rest });
}

function inUse(instance: string, owner: string): EngineError {
  return new EngineError(
    `the lab instance ${instance} is in use by another user or program (its state is in ${owner}); ` +
      'give this lab another multilab id: --plugin multilab --set defaults.multilab.id=<number>',
  );
}

/** Whether the owner of the claim has namespaces or a running command. Otherwise the claim is stale. */
async function isActive(runDir: string, instance: string, claim: Claim): Promise<boolean> {
  if (claimedNames(runDir, instance, claim).length > 0) return true;
  const lockFile = instanceLockFile(claim.home, instance);
  if (!existsSync(lockFile)) return false;
  const lock = await tryLock(lockFile, { waitSeconds: 0 });
  await lock?.release();
  return lock === undefined;
}

/**
 * Claims these names for a new lab.
 * @throws EngineError when one of them exists and is not ours, or when another owner has the instance.
 */
export async function makeClaim(
  context: Pick<EngineContext, 'home' | 'runDir' | 'cwd'>,
  instance: string,
  names: readonly string[],
) {
  const { home, runDir, cwd } = context;
  const other = await readAnyClaim(runDir, instance);
  if (other !== undefined && other.home !== home && (await isActive(runDir, instance, other))) {
    throw inUse(instance, other.home);
  }
  const existing = namespaceNames(runDir);
  const foreign = names.filter((name) => existing.has(name));
  if (foreign.length > 0) {
    throw new EngineError(
      `network namespaces with these names exist and belong to another program: ${foreign.slice(0, 5).join(', ')}; ` +
        'remove them (ip netns del …), or give this lab another multilab id: --plugin multilab --set defaults.multilab.id=<number>',
    );
  }
  await dropClaim(context, instance);
  const draft = draftDirectory(context, instance);
  await mkdir(draft, { recursive: true });
  await writeClaim(draft, { home, dir: cwd, names });
  await rename(draft, claimDirectory(runDir, instance)).catch((error: unknown) => {
    const isTaken = ['ENOTEMPTY', 'EEXIST'].includes(systemCode(error) ?? '');
    throw isTaken ? inUse(instance, 'another directory') : error;
  });
}
