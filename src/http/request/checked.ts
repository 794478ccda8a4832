import type * as z from 'zod';
import { invalidRequest } from '../../lib/app-error.ts';
import { issueWords } from '../../lib/text/issue-words.ts';

/** A parsed JSON body, or the parameters of a path, as the schema has it. @throws AppError `invalid-request` that names each wrong field. */
export function checked<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given, { error: issueWords });
  if (!parsed.success) throw invalidRequest(parsed.error.issues);
  return parsed.data;
}
