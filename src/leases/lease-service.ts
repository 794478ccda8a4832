/** The operations of leases for HTTP. */
import type { KnownLab } from '../labs/status/lab-status.ts';

/** The lease of a lab as others see it. */
export interface LeaseView {
  /** The lab, as the status calls it. */
  readonly id: string;
  readonly workdir: string;
  /** The id of the `up` that started it. */
  readonly jobId: string;
  /** Null: it does not expire. */
  readonly expiresAt: string | null;
}

/** When a lab is to end: at a moment, after a time from now, or never. */
export type WantedEnd =
  | { readonly kind: 'moment'; readonly at: string }
  | { readonly kind: 'ttl'; readonly ttlMs: number }
  | { readonly kind: 'never' };

export interface LeaseChange {
  /** Of the lab CLI of this name. Absent: of any. */
  readonly cli?: string;
  /** The longest lease of the user who asks, in ms. Absent: the limit of the server alone applies. */
  readonly quotaMs?: number | undefined;
}

export interface LeaseService {
  /** When the lab is to be taken down; null for a lab without an end, and for one that this service did not start. */
  expiresAt(lab: Pick<KnownLab, 'cli' | 'directory' | 'entry'>): string | null;
  /**
   * Gives a lab another end.
   * @throws AppError `instance-not-found`, `conflict` for a lab that this service did not start or that is being taken down,
   * `invalid-request` for an end that is past or too late, `storage-fault`.
   */
  change(id: string, end: WantedEnd, of?: LeaseChange): Promise<LeaseView>;
}
