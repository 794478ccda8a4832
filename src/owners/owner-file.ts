/** The owners of labs, in one file that each change replaces whole. */
import * as z from 'zod';
import { JsonFile } from '../lib/files/json-file.ts';
import type { Logger } from '../lib/logger.ts';

const time = z.int().min(0);

/** A lab that was started in this time is this owner's. Times are ms since 1970. */
const spanSchema = z.object({
  /** The id of the job that ran then; null when the lab was given to its owner. */
  job: z.string().nullable(),
  owner: z.string().nullable(),
  from: time,
  /** Null while the job runs. */
  to: time.nullable(),
});
export type OwnedSpan = Readonly<z.infer<typeof spanSchema>>;

const contentSchema = z.object({ directories: z.record(z.string(), z.array(spanSchema).readonly()) });
export type OwnerFileContent = z.infer<typeof contentSchema>;

/** By directory, oldest first. When it cannot be understood, the jobs' records say the most of it again. */
export class OwnerFile extends JsonFile<OwnerFileContent> {
  constructor(file: string, log: Logger) {
    super({
      file,
      parse: (value) => contentSchema.parse(value),
      onDamage: (details) =>
        log.error(
          'the file of lab owners is damaged and was set aside; the owners are read from the jobs',
          details,
        ),
    });
  }
}
