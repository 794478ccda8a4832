/** The nodes of a lab, and one command in many of them. */
import { AppError } from '../../lib/app-error.ts';
import { mapBounded } from '../../lib/async/map-bounded.ts';
import type { LabTopology } from '../drivers/topology.ts';
import { chooseNodes, type NodeGroups } from './choose-nodes.ts';
import { NoConfiguration } from './configuration.ts';
import { collectExec, type CollectedExec, type ExecRequest } from './exec.ts';
import { LabNode, nodesIn, type LabNodeDeps } from './lab-node.ts';
import { noLimit } from './node-places.ts';

const nodesAtOnce = 8;
/** Of the output of one node, and of all nodes together. */
const maxNodeBytes = 1024 * 1024;
const maxAllBytes = 4 * 1024 * 1024;

/** Of all nodes together: they are in memory at once. */
const maxConfigurationBytes = 64 * 1024 * 1024;
const tooMuch = 'the configurations of the lab have more than 64 MiB together';

/** The answer of one node. `failed`: the command did not begin, for the reason in `error`. */
export interface NodeAnswer extends Omit<CollectedExec, 'reason'> {
  readonly node: string;
  readonly reason: CollectedExec['reason'] | 'failed';
  readonly error: { readonly code: string; readonly detail: string } | null;
}

/** The configuration of a node, or why there is none; `isNone`: the node has none at all. */
export type NodeConfiguration =
  | { readonly node: string; readonly bytes: Buffer; readonly failure?: undefined }
  | {
      readonly node: string;
      readonly bytes: undefined;
      readonly failure: { readonly isNone: boolean; readonly reason: string };
    };

interface LabNodesDeps extends LabNodeDeps {
  readonly topologies: { readonly of: (lab: string) => Promise<{ readonly topology: LabTopology }> };
}

interface ConfigurationsWatch {
  /** Their programs would be waited for until the time is up. */
  readonly paused: ReadonlySet<string>;
  readonly signal: AbortSignal;
}

interface ExecWatch {
  /** Aborted when the client has gone: all commands are ended, and no other one begins. */
  readonly signal: AbortSignal;
  /** The nodes are chosen, and the first commands begin. */
  readonly onBegin: (nodes: readonly string[]) => void;
  readonly onAnswer: (answer: NodeAnswer) => void;
}

/** Without a topology that can be read, there are no groups. */
async function groupsIn({ topologies }: LabNodesDeps, lab: string): Promise<NodeGroups> {
  const groups = new Map<string, Set<string>>();
  const found = await topologies.of(lab).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  });
  for (const { name, groups: its } of found?.topology.nodes ?? [])
    for (const group of its) groups.set(group, (groups.get(group) ?? new Set()).add(name));
  return groups;
}

function failed(node: string, reason: string, isNone = false): NodeConfiguration {
  return { node, bytes: undefined, failure: { isNone, reason } };
}

export class LabNodes {
  readonly #deps: LabNodesDeps;
  readonly #lab: string;
  readonly #assertMayChange: () => void;

  constructor(deps: LabNodesDeps, lab: string, assertMayChange: () => void = () => undefined) {
    this.#deps = deps;
    this.#lab = lab;
    this.#assertMayChange = assertMayChange;
  }

  one(node: string): LabNode {
    return this.#node(node, this.#deps);
  }

  #node(node: string, deps: LabNodeDeps): LabNode {
    return new LabNode(deps, { lab: this.#lab, node }, this.#assertMayChange);
  }

  /**
   * Runs a command in all nodes that the words choose, a few at once. The answers stand in the order of the lab; a node that is
   * not reached has one, too. @throws AppError as `nodesIn` and `chooseNodes`, and `too-many-sessions`, before anything runs.
   */
  async exec(
    words: readonly string[],
    request: ExecRequest,
    { signal, onBegin, onAnswer }: ExecWatch,
  ): Promise<readonly NodeAnswer[]> {
    this.#assertMayChange();
    const names = Object.keys(await nodesIn(this.#deps.status, this.#lab));
    const groups = async () => groupsIn(this.#deps, this.#lab);
    const nodes = await chooseNodes(words, { names, groups });
    // Taken for the whole run: another client that comes meanwhile must not make half of the nodes fail.
    const places = this.#deps.places.sessions.takeSome(Math.min(nodesAtOnce, nodes.length));
    const maxBytes = Math.min(maxNodeBytes, Math.floor(maxAllBytes / nodes.length));
    let left = nodes.length;
    const run = async (node: string): Promise<NodeAnswer> => {
      const answer = await this.#answerOf(node, { request, signal, maxBytes });
      left -= 1;
      while (places.length > left) places.pop()?.();
      onAnswer(answer);
      return answer;
    };
    try {
      onBegin(nodes);
      return await mapBounded(nodes, places.length, run);
    } finally {
      for (const leave of places) leave();
    }
  }

  /**
   * The running configurations of all nodes, a few at once, in the order of the lab. Nodes that are `paused` are not asked.
   * @throws AppError as `nodesIn`, `too-many-sessions`; the reason of `signal` when it is aborted.
   */
  async configurations({ paused, signal }: ConfigurationsWatch): Promise<readonly NodeConfiguration[]> {
    this.#assertMayChange();
    const nodes = Object.keys(await nodesIn(this.#deps.status, this.#lab));
    const places = this.#deps.places.sessions.takeSome(Math.min(nodesAtOnce, nodes.length));
    let bytes = 0;
    try {
      return await mapBounded(nodes, places.length, async (node) => {
        signal.throwIfAborted();
        if (paused.has(node)) return failed(node, `${node} is paused by a fault: heal it first`);
        if (bytes > maxConfigurationBytes) return failed(node, tooMuch);
        const read = await this.#configurationOf(node, signal);
        bytes += read.bytes?.length ?? 0;
        return bytes > maxConfigurationBytes ? failed(node, tooMuch) : read;
      });
    } finally {
      for (const leave of places) leave();
    }
  }

  async #configurationOf(node: string, signal: AbortSignal): Promise<NodeConfiguration> {
    try {
      return {
        node,
        bytes: await this.#node(node, { ...this.#deps, places: noLimit }).configuration(signal),
      };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof AppError) || error.code === 'shutting-down') throw error;
      return failed(node, error.message, error instanceof NoConfiguration);
    }
  }

  async #answerOf(
    node: string,
    how: { readonly request: ExecRequest; readonly signal: AbortSignal; readonly maxBytes: number },
  ): Promise<NodeAnswer> {
    const { request, signal, maxBytes } = how;
    const none = { node, exitCode: null, signal: null, output: '', truncated: false, error: null };
    if (signal.aborted) return { ...none, reason: 'canceled', durationMs: 0 };
    const startedMs = performance.now();
    try {
      const exec = await this.#node(node, { ...this.#deps, places: noLimit }).exec(request, signal);
      return { node, ...(await collectExec(exec, maxBytes)), error: null };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      const durationMs = Math.round(performance.now() - startedMs);
      // A command that was ended before it began says only that nothing was reached.
      if (signal.aborted) return { ...none, reason: 'canceled', durationMs };
      return { ...none, reason: 'failed', durationMs, error: { code: error.code, detail: error.message } };
    }
  }
}

/** An answer of one node or of several. */
export interface JoinedAnswer extends Omit<NodeAnswer, 'node' | 'durationMs'> {
  readonly nodes: readonly string[];
}

/** The same for equal answers. Sentences about nodes differ in their names. */
function keyOf({ node, exitCode, reason, truncated, output, error }: NodeAnswer): string {
  const said = error && [error.code, error.detail.replaceAll(node, '')];
  return JSON.stringify([exitCode, reason, truncated, output, said]);
}

/** Joins equal answers: first the one that most nodes gave, so that the odd node stands at the end. */
export function joinAnswers(answers: readonly NodeAnswer[]): readonly JoinedAnswer[] {
  const joined = new Map<string, JoinedAnswer & { readonly nodes: string[] }>();
  for (const answer of answers) {
    const key = keyOf(answer);
    const known = joined.get(key);
    if (known !== undefined) known.nodes.push(answer.node);
    else {
      const { node, durationMs: _ofThisNode, ...same } = answer;
      joined.set(key, { nodes: [node], ...same });
    }
  }
  return [...joined.values()].toSorted((one, other) => other.nodes.length - one.nodes.length);
}
