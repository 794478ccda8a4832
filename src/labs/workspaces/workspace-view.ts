import type { Stats } from 'node:fs';
import type { WorkspaceSize } from './workspace-sizes.ts';
import type { WorkspaceRecord } from './workspace-records.ts';
import type { Workspace } from './workspace.ts';

interface Known {
  /** Of its directory. */
  readonly entry: Stats;
  readonly size: WorkspaceSize;
  readonly record: WorkspaceRecord | undefined;
  /** The last use that the service has seen, in ms since 1970. */
  readonly usedMs: number | undefined;
  /** How long it is kept after its last use, in ms; undefined for ever. */
  readonly keepMs: number | undefined;
}

/** The last time that RFC 3339 can express. */
const lastDateMs = Date.parse('9999-12-31T23:59:59.999Z');

function timeText(ms: number): string {
  return new Date(Math.min(ms, lastDateMs)).toISOString();
}

/** A workspace as its users see it. One that the service did not make has no record, and is kept for ever. */
export function viewOf(
  place: Pick<Workspace, 'name' | 'workdir' | 'lab' | 'job'>,
  { entry, size: { size, files, modifiedMs }, record, usedMs = 0, keepMs }: Known,
): Workspace {
  const { lab, job, ...named } = place;
  const createdAt = record?.createdAt ?? entry.birthtime.toISOString();
  const changedMs = Math.floor(Math.max(modifiedMs, entry.mtimeMs));
  const lastUsedMs = Math.max(changedMs, Date.parse(createdAt), usedMs);
  const isKept =
    keepMs === undefined || record === undefined || record.isHandMade || lab !== null || job !== null;
  return {
    ...named,
    owner: record?.owner ?? null,
    shares: record?.shares ?? [],
    source: record?.source ?? null,
    size,
    files,
    createdAt,
    modifiedAt: timeText(changedMs),
    lastUsedAt: timeText(lastUsedMs),
    expiresAt: isKept ? null : timeText(lastUsedMs + keepMs),
    lab,
    job,
  };
}
