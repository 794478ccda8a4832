/** The operations of lab owners for HTTP. */
import type { Share } from '../access/model/groups.ts';

/** A lab by what tells it from any other one: where it lives, and when it was started. */
export interface StartedLab {
  /** A real path; null when the lab CLI does not tell. */
  readonly directory: string | null;
  /** In ms since 1970, as the lab CLI tells it; null when it does not. */
  readonly startedAtMs: number | null;
}

export interface OwnerService {
  /** The user who started the lab or was given it; null when unknown. */
  ownerOf(lab: StartedLab): string | null;
  /**
   * Sets the owner of a lab. `check` runs inside the lock.
   * @throws AppError `conflict` while a job is in its directory, or if this start cannot be distinguished from the next;
   * `storage-fault`, and then nothing has changed; and what `check` throws.
   */
  give(lab: StartedLab, owner: string | null, check?: () => void): Promise<void>;
  /** With whom the lab is shared. */
  sharesOf(lab: StartedLab): readonly Share[];
  /** Replaces them. See `give`. */
  share(lab: StartedLab, shares: readonly Share[], check?: () => void): Promise<void>;
}
