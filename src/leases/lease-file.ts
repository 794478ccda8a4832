import * as z from 'zod';
import { JsonFile } from '../lib/files/json-file.ts';
import type { Logger } from '../lib/logger.ts';
import { expectedLeaseSchema, leaseSchema } from './lease.ts';

const contentSchema = z.object({
  clock: z.object({ bootId: z.string(), bootMs: z.number() }),
  expected: z.array(expectedLeaseSchema),
  leases: z.array(leaseSchema),
});

export type LeaseContent = Readonly<z.infer<typeof contentSchema>>;

/** All leases in one file. If it cannot be read, its labs do not expire, and an error is logged. */
export class LeaseFile extends JsonFile<LeaseContent> {
  constructor(file: string, log: Logger) {
    super({
      file,
      parse: (value) => contentSchema.parse(value),
      onDamage: (details) =>
        log.error(
          'the leases cannot be understood and were set aside: no lab is taken down by them',
          details,
        ),
    });
  }
}
