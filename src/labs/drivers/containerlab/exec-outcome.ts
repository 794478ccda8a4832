/** The outcome of a command in nodes: the exit code of containerlab's `exec` is always 0 (0.79). */
import type { JobResult, NodeOutput } from '../../model/job-result.ts';
import { fewOf } from '../sentence.ts';

/** By a mark in what containerlab or Docker says of a node in which the command was not run, what a person would say and do. */
const reasons: readonly (readonly [RegExp, (nodes: string) => string])[] = [
  [
    /^Error response from daemon: container \S+ is not running$/i,
    (nodes) => `nothing was executed in ${nodes}, which must run first: use "start-nodes"`,
  ],
  [
    /^Error response from daemon: container \S+ is paused\b/i,
    (nodes) => `nothing was executed in ${nodes}, which Docker has paused: use "docker unpause"`,
  ],
  [
    /^Filter did not match any containers/,
    (nodes) =>
      `the lab has no node "${nodes}", or is not up, and nothing was executed: GET /labs/{id} lists its nodes`,
  ],
];

const isWithout = ({ exitCode, output }: NodeOutput, mark: RegExp): boolean =>
  exitCode === null && mark.test(output.trim());

/** One text for all nodes in which the command was not run for the same reason, where it is known. */
export function notExecuted(result: JobResult | null): readonly string[] {
  if (result?.kind !== 'outputs') return [];
  return reasons.flatMap(([mark, say]) => {
    const names = result.nodes.filter((node) => isWithout(node, mark)).map(({ node }) => node);
    return names.length === 0 ? [] : [say(fewOf(names))];
  });
}

function failureIn(one: NodeOutput): string | undefined {
  const { node, exitCode } = one;
  if (exitCode === 0 || reasons.some(([mark]) => isWithout(one, mark))) return undefined;
  return exitCode === null
    ? `in ${node} the command did not run to its end`
    : `in ${node} the command ended with exit code ${exitCode}`;
}

/** Why `exec` did not do what it was to do; undefined when it did. */
export function doubtOfExec(result: JobResult): string | undefined {
  if (result.kind !== 'outputs') return undefined;
  const told = [...notExecuted(result), ...result.nodes.flatMap((node) => failureIn(node) ?? [])];
  return told.length === 0 ? undefined : told.join('; ').slice(0, 500);
}
