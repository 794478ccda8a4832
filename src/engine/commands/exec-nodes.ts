/** `lab exec` in several nodes, one after the other, with a headline for each node as in `netlab exec --header`. */
import type { EngineContext } from '../core/engine-context.ts';
import { chooseLab } from '../state/choose-lab.ts';
import { readNodeRecords } from '../state/node-records.ts';
import { chooseNodes } from './choose-nodes.ts';
import { argumentsInNode, runOnTerminal } from './exec.ts';
import { findNode } from './find-node.ts';

interface ExecNodesOptions {
  readonly nodes: string;
  readonly command: readonly string[];
  readonly instance?: string;
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
