/** Snapshots of labs: the files of a lab and the configurations of its nodes, kept under a name. */
import * as z from 'zod';
import { shareSchema } from '../../access/model/groups.ts';
import { AppError, fieldError, invalidField } from '../../lib/app-error.ts';
import { workspaceNamePattern } from '../workspaces/workspace-places.ts';

/** The directory beside the topology that has the configurations, as `NODE.cfg`: netlab reads them there. */
export const configurationsName = 'snapshot-config';

/** The topology beside it, of a lab whose topology came with the request. */
export const topologyName = 'snapshot-topology.yml';

/** The configuration of a node. `none`: it has none to keep, as a Linux host. */
const nodeSchema = z.object({
  node: z.string(),
  kept: z.enum(['configuration', 'none', 'failed']),
  /** Bytes; null without a configuration. */
  size: z.int().min(0).nullable(),
  /** Why there is no configuration: a sentence. */
  reason: z.string().nullable(),
});
export type SnapshotNode = Readonly<z.infer<typeof nodeSchema>>;

export const recordSchema = z.object({
  lab: z.string(),
  cli: z.string(),
  /** A real path: where the lab was. */
  workdir: z.string(),
  workspace: z.string().nullable(),
  /** Where the lab is in the files: relative, empty for their top. */
  directory: z.string(),
  owner: z.string().nullable(),
  /** With whom its owner shares it. A later version may have kinds of shares that are unknown here: then none. */
  shares: z.array(shareSchema).readonly().catch([]),
  createdAt: z.iso.datetime(),
  /** The fields of a request for a job that starts the lab again, without its place. */
  start: z.record(z.string(), z.unknown()),
  nodes: z.array(nodeSchema).readonly(),
  files: z.int().min(0),
  /** Of all files, as a workspace has them; 0 in records of earlier versions, which do not know it. */
  bytes: z.int().min(0).default(0),
  /** Files that are in no archive: links, pipes, and names that some systems do not tell apart. The first of them. */
  leftOut: z.array(z.string()).readonly(),
  leftOutCount: z.int().min(0),
  /** Bytes on the disk. */
  size: z.int().min(0),
});
export type SnapshotRecord = Readonly<z.infer<typeof recordSchema>>;

export interface Snapshot extends SnapshotRecord {
  readonly name: string;
}

/** Whether it has everything that there was: the files, and the configuration of each node that has one. */
export function isComplete({ nodes, leftOutCount }: SnapshotRecord): boolean {
  return leftOutCount === 0 && nodes.every(({ kept }) => kept !== 'failed');
}

/** @throws AppError `invalid-request`. */
export function checkSnapshotName(name: string): void {
  if (!workspaceNamePattern.test(name))
    throw invalidField(
      'name',
      'must have small letters, digits and . _ - only, at most 63 of them, beginning with a letter or a digit',
    );
}

export function noSuchSnapshot(name: string): AppError {
  const shown = workspaceNamePattern.test(name) ? ` "${name}"` : ' of that name';
  return fieldError('snapshot-not-found', 'name', `there is no snapshot${shown}; GET /snapshots lists them`);
}

export function nameTaken(name: string): AppError {
  return new AppError('snapshot-exists', `the name "${name}" is taken: choose another one`);
}
