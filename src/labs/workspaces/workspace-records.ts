/** The files in which the store of workspaces notes what it knows of each, and what it is about to do. */
import * as z from 'zod';
import { shareSchema, type Share } from '../../access/model/groups.ts';
import { readPlainFile } from '../../lib/files/plain-file.ts';
import { gitCommitSchema, type GitCommit } from '../model/git-source.ts';
import { workspaceNamePattern } from './workspace-places.ts';

export const recordSchema = z.object({
  owner: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** A person has made its directory, and a user got it as its owner. */
  isHandMade: z.literal(true).optional(),
  /** Absent: none. A later version may have kinds of shares that are unknown here: then none, too. */
  shares: z.array(shareSchema).readonly().optional().catch(undefined),
  /** The commit that its files came from. Absent: they came otherwise. */
  source: gitCommitSchema.optional().catch(undefined),
});
export type WorkspaceRecord = Readonly<z.infer<typeof recordSchema>>;

export interface AccessChanges {
  /** A new owner begins without the shares of the one before. */
  readonly owner?: string | null;
  readonly shares: readonly Share[];
}

export const swapSchema = z.object({
  name: z.string().regex(workspaceNamePattern),
  /** The files are of no use without it: when it is not on record, the swap is undone. Absent: they stay in any case. */
  job: z.string().optional(),
  /** The record before; null when there was no workspace, or none that the service made. */
  before: recordSchema.nullable().optional(),
});
export type Swap = z.infer<typeof swapSchema>;

/** Where the files of a workspace come from, and for which job. */
export interface SwapOrigin {
  readonly owner: string | null;
  readonly source?: GitCommit | undefined;
  readonly job?: string | undefined;
}

/** The content of a file; undefined when there is none, or it is of no use. */
export async function parsed<T>(file: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const reading = await readPlainFile(file);
  if (reading.kind !== 'found') return undefined;
  try {
    return schema.parse(JSON.parse(reading.text));
  } catch {
    return undefined;
  }
}
