import { z } from 'zod';

/**
 * `schema` for a mapping with keys of a client's choice. zod makes a record of it without a word about a key `__proto__`,
 * and whoever sent one would believe that it was taken: it is refused. `what` is what a person calls a key: "a label".
 */
export function withoutProto<Schema extends z.ZodType>(what: string, schema: Schema) {
  return z
    .unknown()
    .refine(
      (given) => typeof given !== 'object' || given === null || !Object.hasOwn(given, '__proto__'),
      `${what} must not be called "__proto__"`,
    )
    .pipe(schema);
}
