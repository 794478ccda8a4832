import { EngineError } from '../core/engine-error.ts';
import type { NodeRecord } from '../state/node-records.ts';

const isPattern = (word: string): boolean => /[*?[]/.test(word);

/** A shell pattern as a regular expression. Names of nodes have letters, digits, `_` and `-` only. */
function expressionOf(pattern: string): RegExp {
  const source = pattern
    .replaceAll(/[^\w*?[\]!-]/g, '')
    .replaceAll('[!', '[^')
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  try {
    return new RegExp(`^${source}$`);
  } catch {
    return /$^/;
  }
}

function fitting(word: string, nodes: readonly NodeRecord[]): readonly NodeRecord[] {
  if (word.toLowerCase() === 'all') return nodes;
  const found = nodes.filter((node) =>
    isPattern(word) ? expressionOf(word).test(node.name) : node.name === word || node.device === word,
  );
  if (found.length > 0) return found;
  throw new EngineError(
    isPattern(word)
      ? `Wildcard node specification ${word} does not match any nodes`
      : `${word} is not a glob or a valid node or device name`,
  );
}

/**
 * The nodes that a text such as `h1,r*` selects, without duplicates, in the order of the text. The text has names,
 * patterns, devices and `all`, as in netlab (netsim/cli/_nodeset.py).
 * @throws EngineError about a part of the text that selects no node.
 */
export function chooseNodes(text: string, nodes: readonly NodeRecord[]): readonly NodeRecord[] {
  return [...new Set(text.split(',').flatMap((word) => fitting(word, nodes)))];
}
