/** Sentences for values of the wrong kind, in place of those of the library that checks them. */

/** As much of a zod issue as the words need; by shape, because `lib` imports no package. */
interface RawIssue {
  readonly code: string;
  readonly expected?: unknown;
  readonly values?: readonly unknown[];
  /** Those that the schema does not know. */
  readonly keys?: readonly string[];
  /** The kind of the value that is too small or too large: `string`, `number`, `array` … */
  readonly origin?: unknown;
  readonly minimum?: unknown;
  readonly maximum?: unknown;
  readonly inclusive?: unknown;
  /** A sentence about a key. */
  readonly issues?: readonly { readonly message: string }[];
}

const kinds: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
  record: 'must be an object',
};

const units: Readonly<Record<string, string>> = { string: ' characters', array: ' entries' };

function tooSmall({ origin, minimum, inclusive }: RawIssue): string {
  if (origin === 'string' && minimum === 1) return 'must not be empty';
  if (origin === 'number' && inclusive !== true) return `must be over ${String(minimum)}`;
  return `must be at least ${String(minimum)}${units[String(origin)] ?? ''}`;
}

function tooBig({ origin, maximum }: RawIssue): string {
  return `must be at most ${String(maximum)}${units[String(origin)] ?? ''}`;
}

/** The `error` of zod's `safeParse`: a schema's own message goes first, and zod's stands where we have none. */
export function issueWords(issue: RawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return kinds[String(issue.expected)];
    case 'invalid_value':
      return `must be one of ${(issue.values ?? []).join(', ')}`;
    case 'unrecognized_keys':
      return `there is no field ${(issue.keys ?? []).map((key) => JSON.stringify(key.slice(0, 100))).join(', ')}`;
    case 'too_small':
      return tooSmall(issue);
    case 'too_big':
      return tooBig(issue);
    case 'invalid_key':
      return issue.issues?.map(({ message }) => `its name ${message}`).join('; ');
    default:
      return undefined;
  }
}
