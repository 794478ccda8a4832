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
