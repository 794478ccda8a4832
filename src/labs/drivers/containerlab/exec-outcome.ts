/** What became of a command in nodes: containerlab ends `exec` with 0 whatever the command did (0.79). */
import type { JobResult, NodeOutput } from '../../job-result.ts';

/** By a mark in what containerlab or Docker says of a node in which the command was not run, what a person would say and do. */
const reasons: readonly (readonly [RegExp, (node: string) => string])[] = [
  [
    /^Error response from daemon: container \S+ is not running$/i,
    (node) => `${node} does not run, and nothing was executed in it: start it with "start-nodes"`,
  ],
  [
    /^Filter did not match any containers/,
    (node) =>
      `the lab has no node "${node}", or is not up, and nothing was executed: GET /labs/{id} lists its nodes`,
  ],
];

function whyNotIn({ node, output, exitCode }: NodeOutput): string | undefined {
  if (exitCode !== null) return undefined;
  return reasons.find(([mark]) => mark.test(output.trim()))?.[1](node);
}

/** One text for each node in which the command was not run, where it is known why. */
export function notExecuted(result: JobResult | null): readonly string[] {
  return result?.kind === 'outputs' ? result.nodes.flatMap((node) => whyNotIn(node) ?? []) : [];
}

function failureIn(one: NodeOutput): string | undefined {
  const { node, exitCode } = one;
  if (exitCode === 0) return undefined;
  if (exitCode !== null) return `in ${node} the command ended with exit code ${exitCode}`;
  return whyNotIn(one) ?? `in ${node} the command did not run to its end`;
}

/** Why `exec` did not do what it was to do; undefined when it did. */
export function doubtOfExec(result: JobResult): string | undefined {
  if (result.kind !== 'outputs') return undefined;
  const told = result.nodes.flatMap((node) => failureIn(node) ?? []);
  return told.length === 0 ? undefined : told.join('; ').slice(0, 500);
}
