/** `lab exec` in several nodes, one after the other, with a headline for each node as in `netlab exec --header`. */
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { chooseLab } from '../state/choose-lab.ts';
import { readNodeRecords, type NodeRecord } from '../state/node-records.ts';
import { argumentsInNode, runOnTerminal } from './exec.ts';
import { findNode } from './find-node.ts';

interface ExecNodesOptions {
  readonly nodes: string;
  readonly command: readonly string[];
  readonly instance?: string;
}

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
function chooseNodes(text: string, nodes: readonly NodeRecord[]): readonly NodeRecord[] {
  return [...new Set(text.split(',').flatMap((word) => fitting(word, nodes)))];
}

const rule = '='.repeat(80);

/** Returns the exit code of the first node in which the command failed, else 0. */
export async function execNodesCommand(context: EngineContext, options: ExecNodesOptions): Promise<number> {
  const { command } = options;
  const { instance } = await chooseLab(context, options.instance);
  const nodes = await readNodeRecords(context.home, instance);
  const words = command.map((word) => (word.includes(' ') ? `"${word}"` : word)).join(' ');
  let result = 0;
  for (const { name } of chooseNodes(options.nodes, nodes)) {
    const node = findNode(context, nodes, name);
    context.interrupted.throwIfAborted();
    context.out(`${rule}\n${name}: executing ${words}\n${rule}\n`);
    const exitCode = await runOnTerminal(argumentsInNode(context, instance, { node, command }));
    // The empty line is netlab's: the last line of the command's output may have no line feed.
    context.out(`\n${name}: exit code ${exitCode}\n`);
    context.interrupted.throwIfAborted();
    result ||= exitCode;
  }
  return result;
}
