import { LineCounter, parseDocument } from 'yaml';
import { AppError } from '../../lib/app-error.ts';
import { issueWords } from '../../lib/text/issue-words.ts';
import { scenarioSchema, type Scenario } from './scenario.ts';

/** More than any scenario needs; YAML is parsed on the main thread. */
export const maxScenarioBytes = 64 * 1024;

const maxErrors = 20;

/**
 * The scenario in a YAML text; `file` is its name in sentences.
 * @throws AppError `invalid-request` that lists every mistake with its line and column.
 */
export function readScenario(text: string, file: string): Scenario {
  const counter = new LineCounter();
  if (Buffer.byteLength(text) > maxScenarioBytes)
    throw new AppError('invalid-request', `${file}: must not have over ${maxScenarioBytes} bytes`);
  const document = parseDocument(text, { lineCounter: counter, prettyErrors: false });
  const placeOf = (offset: number): string => {
    const { line, col } = counter.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [broken] = document.errors;
  if (broken) throw new AppError('invalid-request', `${placeOf(broken.pos[0])}: ${broken.message}`);
  const parsed = scenarioSchema.safeParse(toPlain(document, file), { error: issueWords });
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, maxErrors).map(({ path, message }) => {
    const field = path.join('.') || 'scenario';
    return { field, message: `${placeOf(offsetOf(document, path))}: ${field}: ${message}` };
  });
  throw new AppError('invalid-request', errors.map(({ message }) => message).join('; '), { errors });
}

type Document = ReturnType<typeof parseDocument>;

/** Aliases may stand for billions of values. @throws AppError. */
function toPlain(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  } catch {
    throw new AppError('invalid-request', `${file}: has too many aliases`);
  }
}

/** Of the value, or of the nearest thing around it that is there. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node: unknown = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const range = (node as { readonly range?: readonly number[] | null } | undefined)?.range;
    if (range?.[0] !== undefined) return range[0];
  }
  return 0;
}
