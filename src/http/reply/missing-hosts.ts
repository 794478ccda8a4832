import * as z from 'zod';

/** In what all hosts of a cluster answer together. */
export const missingHostsSchema = z
  .array(z.string())
  .optional()
  .describe(
    'Of a cluster, and only where there are any: the hosts that did not answer, and whose part is missing.',
  );
