import { isScalar, Lexer, LineCounter, parseDocument, Parser, visit } from 'yaml';
import { AppError, messageOf } from '../../lib/app-error.ts';
import { isMapping } from '../../lib/mapping.ts';
import { issueWords } from '../../lib/text/issue-words.ts';
import { findTooDeep } from '../../lib/text/yaml-depth.ts';
import { yamlMistake } from '../../lib/text/yaml-mistake.ts';
import { valueOf } from './yaml-value.ts';
import { scenarioSchema, type Scenario } from './scenario.ts';

/** More than any scenario needs; YAML is parsed on the main thread. */
export const maxScenarioBytes = 64 * 1024;

const maxErrors = 20;

type Document = ReturnType<typeof parseDocument>;

export interface ReadScenario {
  readonly scenario: Scenario;
  /** `scenario.yml:3:5`, where a field is; undefined when it was not read from a file. */
  readonly placeOf: (path: readonly PropertyKey[]) => string | undefined;
}

interface ReadText {
  readonly value: unknown;
  readonly placeOf: (path: readonly PropertyKey[]) => string;
}

/** The place of a key that its map has already. The check of the parser takes the square of the number of keys. */
function offsetOfSecond(document: Document): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map: (_key, { items }) => {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (isScalar(key) && seen.has(key.value)) found = key.range?.[0];
        if (isScalar(key)) seen.add(key.value);
      }
      return found === undefined ? undefined : visit.BREAK;
    },
  });
  return found;
}

/** @throws AppError `invalid-request` for what is no YAML. */
function readText(text: string, file: string): ReadText {
  const counter = new LineCounter();
  if (Buffer.byteLength(text) > maxScenarioBytes)
    throw new AppError('invalid-request', `${file}: must not have over ${maxScenarioBytes} bytes`);
  const tooDeep = findTooDeep(text, { Lexer, Parser });
  if (tooDeep) throw new AppError('invalid-request', `${file}: has ${tooDeep.message}`);
  const document = parseDocument(text, {
    logLevel: 'error',
    lineCounter: counter,
    prettyErrors: false,
    uniqueKeys: false,
  });
  const placeAt = (offset: number): string => {
    const { line, col } = counter.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [broken] = document.errors;
  if (broken)
    throw new AppError('invalid-request', `${placeAt(broken.pos[0])}: ${yamlMistake(broken.message)}`);
  const second = offsetOfSecond(document);
  if (second !== undefined)
    throw new AppError('invalid-request', `${placeAt(second)}: the key is there twice`);
  try {
    return { value: valueOf(document), placeOf: (path) => placeAt(offsetOf(document, path)) };
  } catch (error) {
    const why = error instanceof ReferenceError ? 'has too many aliases' : messageOf(error);
    throw new AppError('invalid-request', `${file}: ${why}`);
  }
}

/**
 * The scenario in a YAML text, with the fields of `instead` in the place of its own; `file` is its name in sentences.
 * @throws AppError `invalid-request` that lists every mistake with its line and column.
 */
export function readScenario(text: string, file: string, instead: Partial<Scenario> = {}): ReadScenario {
  const { value, placeOf } = readText(text, file);
  const merged = isMapping(value) ? { ...value, ...instead } : value;
  const parsed = scenarioSchema.safeParse(merged, { error: issueWords });
  if (parsed.success) return { scenario: parsed.data, placeOf };
  const errors = parsed.error.issues.slice(0, maxErrors).map(({ path, message, ...issue }) => {
    const field = path.join('.') || 'scenario';
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
    return { field, message: `${placeOf([...path, ...unknown])}: ${field}: ${message}` };
  });
  throw new AppError('invalid-request', errors.map(({ message }) => message).join('; '), { errors });
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
