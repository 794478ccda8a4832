import type { Action } from './actions.ts';

/** A run of the lab CLI, as its record has it. */
export interface CommandRecord {
  readonly action: Action;
  readonly workdir: string;
  readonly instance: string | null;
  readonly request: Readonly<Record<string, unknown>>;
  /** RFC 3339; null when it was not started. */
  readonly startedAt: string | null;
  /** The lab CLI that it was accepted for; null, or absent, when that is not on record. */
  readonly cli?: string | null;
}

/** The start of a lab that is on record. */
export interface LabStart extends Pick<CommandRecord, 'cli' | 'workdir' | 'instance'> {
  /** The argument list, program first. */
  readonly command: readonly string[];
  /** Whether it runs, or may have left something of a lab: no status lists what has no node yet. */
  readonly mayBeUnlisted: boolean;
}

/** Finds the last start in a directory (a real path), or of an instance. Never rejects. */
export type FindStart = (
  lab: { readonly workdir: string } | { readonly instance: string },
) => Promise<LabStart | undefined>;
