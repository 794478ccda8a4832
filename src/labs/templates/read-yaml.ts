import { CORE_SCHEMA, load } from 'js-yaml';
import { Lexer, LineCounter, parseDocument, Parser } from 'yaml';
import { findTooDeep } from '../../lib/text/yaml-depth.ts';
import { placedYamlMistake } from '../../lib/text/yaml-mistake.ts';
import { valueOf } from '../model/yaml-value.ts';

/**
 * Texts that js-yaml may read differently from `yaml`: anchors, aliases, tags, directives, merge keys, explicit keys, tabs,
 * carriage returns, byte order marks, a document end mark, keys that are quoted, null or empty, block scalars with their
 * own indentation, and numbers beyond 1e99. No pattern has a choice of where to begin, so the time grows with the length.
 */
const mayDiffer = new RegExp(
  [
    /[&*!%?\t\r\uFEFF]|<<|^\.\.\./,
    /(?:^|[^\w./-]):(?=[\s},\]]|$)|(?<![\w./-])null:(?=[\s},\]]|$)/,
    /[{,]\s{0,99}(?:~|null)\s{0,99}[},]/,
    /[|>][+-]?\d|\de[+]?\d{3}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'im',
);

/** The value by js-yaml, which is eight times as fast as `yaml`; undefined when `yaml` has to decide. */
export function readFast(text: string): unknown {
  if (mayDiffer.test(text)) return undefined;
  try {
    return load(text, { schema: CORE_SCHEMA });
  } catch {
    // Among these are files that `yaml` accepts, such as those with duplicate keys; for the others it has the sentence.
    return undefined;
  }
}

/** The value of a YAML text as the `yaml` package reads it. @throws Error with a sentence for the user. */
export function readWithYaml(text: string): unknown {
  const lines = new LineCounter();
  // Without the check for duplicate keys, whose time grows with the square of their number.
  const document = parseDocument(text, {
    merge: true,
    logLevel: 'error',
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  const [error] = document.errors;
  if (error !== undefined) throw new Error(placedYamlMistake(error, lines));
  return valueOf(document);
}

/** The value of a topology file. @throws Error with a sentence for the user. */
export function readYaml(text: string): unknown {
  // js-yaml has a limit of 100 levels of its own.
  const value = readFast(text);
  if (value !== undefined) return value;
  const tooDeep = findTooDeep(text, { Lexer, Parser });
  if (tooDeep) throw new Error(`it has ${tooDeep.message}`);
  return readWithYaml(text);
}
