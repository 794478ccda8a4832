/** A lab server as the others of its cluster know it. */
import * as z from 'zod';

/** The report that a host writes every few seconds. Its readers may run another version: only ever add fields. */
export const hostRecordSchema = z.object({
  /** A UUID that lies in the data directory: a machine may be renamed, and its jobs are still its own. */
  id: z.uuid(),
  name: z.string(),
  /** Where the other hosts reach it, with its base path. */
  url: z.string(),
  /** Of its TLS key (`lib/net/key-pin.ts`), where the others know it by that; null for plain HTTP, and for a certificate that any client trusts. */
  pin: z.string().nullable(),
  version: z.string(),
  /** One run of the service. The newest one of a host is the host, should a copy of its data directory run elsewhere. */
  run: z.uuid(),
  /** When that run began, by the clock of Redis, in ms since 1970. */
  startedAtMs: z.number(),
  labels: z.array(z.string()),
  /** The names of its lab CLIs; none of an earlier version, which cannot be asked for one. */
  clis: z.array(z.string()).default([]),
  /** Whether it takes no labs from others any more. */
  isDraining: z.boolean(),
  /** How many jobs it runs at the same time. */
  capacity: z.int().positive(),
  running: z.int().min(0),
  queued: z.int().min(0),
  freeMemoryBytes: z.number().min(0),
  memoryBytes: z.number().positive(),
  /** The labs that the lab CLI has on record. */
  labs: z.array(z.object({ instance: z.string(), directory: z.string() })),
  /** The hosts that do not answer it where they say they are, and why. */
  cannotReach: z.array(z.object({ id: z.uuid(), why: z.string() })).default([]),
  /** When it told this, by the clock of Redis, in ms since 1970. */
  seenAtMs: z.number(),
});

export type HostRecord = Readonly<z.infer<typeof hostRecordSchema>>;

export const hostStates = ['up', 'draining', 'away'] as const;

export interface Host extends HostRecord {
  /** `away`: it has told nothing for longer than its lease. */
  readonly state: (typeof hostStates)[number];
  /** Whether it is the one that answers. */
  readonly isThis: boolean;
}

/** A host, and how far that is to be believed. */
export interface SeenHost {
  readonly host: Host;
  /** How long ago it told what is known of it. */
  readonly agoMs: number;
  /** Whether Redis is away or silent, so that the present state of the host is unknown. */
  readonly isStale: boolean;
  /** Why it is not reached where it says it is, or, of this host, who does not reach it; null when it is. */
  readonly unreachable: string | null;
}
