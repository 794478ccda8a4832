/** Finds the problems of a YAML file. Loaded with the first YAML file, because the parser is large. */
import { Lexer, LineCounter, parseAllDocuments, Parser } from 'yaml';
import { findTooDeep } from '../../../../../src/lib/text/yaml-depth.ts';
import { yamlMistake } from '../../../../../src/lib/text/yaml-mistake.ts';
import { checkTopology, isTopology, type CheckedTopology, type Problem } from './topology-check.ts';

/** Checks any YAML: several documents and custom tags are allowed. */
function checkYaml(text: string): readonly Problem[] {
  const lines = new LineCounter();
  const tooDeep = findTooDeep(text, { Lexer, Parser });
  // The parser would overflow its stack.
  if (tooDeep) return [{ line: 1, column: 1, message: tooDeep.message, severity: 'error' }];
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, logLevel: 'silent' });
  return documents.flatMap(({ errors }) => {
    // After the first error, the parser misreads the rest.
    const [first] = errors;
    if (first === undefined) return [];
    const { line, col } = lines.linePos(first.pos[0]);
    return [
      {
        line: Math.max(1, line),
        column: Math.max(1, col),
        message: yamlMistake(first.message),
        severity: 'error',
      },
    ];
  });
}

export function check(path: string, text: string, otherDevices: readonly string[]): CheckedTopology {
  if (text.trim() === '') return { problems: [], nodes: [] };
  if (isTopology(path, text)) return checkTopology(text, otherDevices);
  return { problems: checkYaml(text), nodes: undefined };
}
