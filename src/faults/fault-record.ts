import * as z from 'zod';
import { faultSchema } from '../labs/model/fault.ts';
import { savedInterfaceSchema } from '../labs/nodes/cut-interfaces.ts';

/** The part of a fault that is done in one node. */
const partSchema = z.object({
  node: z.string(),
  /** As they were before; none for a fault of its processes. */
  interfaces: z.array(savedInterfaceSchema),
});
export type FaultPart = Readonly<z.output<typeof partSchema>>;

/** A fault with all that is needed to heal it, by a later service, too. */
export const recordSchema = z.object({
  fault: faultSchema,
  lab: z.object({
    id: z.string(),
    cli: z.string(),
    /** A real path; empty when the status does not tell. */
    directory: z.string(),
    /** The same as long as the lab is not started anew; null when the lab CLI does not tell. */
    run: z.string().nullable(),
  }),
  /** The job that set it and heals it; null for a fault of a user. */
  job: z.string().nullable().default(null),
  parts: z.array(partSchema),
  /** A service that finds one that is not `set` heals it: an earlier service was ended while it set or healed it. */
  state: z.enum(['setting', 'set', 'healing']),
  /** The boot of the machine that it is for. */
  bootId: z.string(),
  /** When it is to be healed, in ms since that boot, which no change of the clock moves; null: when a user does. */
  endsAtMs: z.number().nullable(),
});
export type FaultRecord = Readonly<z.output<typeof recordSchema>>;

export type LabOfRecord = FaultRecord['lab'];
