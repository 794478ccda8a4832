/** Faults in the nodes of a lab: each step is done in all of its nodes at once. */
import { targetKey, type Fault } from '../labs/model/fault.ts';
import type { NodeSession } from '../labs/nodes/node-session.ts';
import { AppError } from '../lib/app-error.ts';
import { mapBounded } from '../lib/async/map-bounded.ts';
import type { ErrorCode } from '../lib/error-codes.ts';
import { effects } from './fault-effects.ts';
import type { FaultEnds } from './fault-ends.ts';
import type { FaultPart, FaultRecord } from './fault-record.ts';
import type { LabOfCli } from './fault-service.ts';

/** Runs programs in the network of a node. @throws AppError `lab-not-up` and what else keeps them from running. */
export type InNode = <T>(
  lab: LabOfCli,
  node: string,
  use: (session: NodeSession) => Promise<T>,
) => Promise<T>;

const nodesAtOnce = 8;

/** There is nothing left of the node that was broken. */
const saysGone: readonly ErrorCode[] = ['instance-not-found', 'node-not-found', 'lab-not-up'];

/** The interfaces of a node that faults with the same effect hold, with their state from before. */
function heldBy(
  records: readonly FaultRecord[],
  { kind }: Pick<Fault, 'kind'>,
  node: string,
): FaultPart['interfaces'] {
  const alike = records.filter(({ fault }) => effects[fault.kind] === effects[kind]);
  const parts = alike.flatMap((record) => record.parts);
  return parts.filter((part) => part.node === node).flatMap((part) => part.interfaces);
}

/** Does it in all nodes, and waits for all, so that nothing is under way when it throws. @throws as the first that did. */
async function inAll<In, Out>(items: readonly In[], act: (item: In) => Promise<Out>): Promise<Out[]> {
  const ends = await mapBounded(items, nodesAtOnce, async (item) =>
    act(item).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    ),
  );
  return ends.map((end) => {
    if ('error' in end) throw end.error;
    return end.value;
  });
}

/** An impairment that the fault replaces is no obstacle to it. */
function readerOf(fault: Fault, all: readonly FaultRecord[]): (typeof effects)['down']['read'] {
  const { kind } = fault;
  const isReplaced = all.some((one) => one.fault.kind === kind && targetKey(one.fault) === targetKey(fault));
  return isReplaced && kind === 'impaired' ? effects.silent.read : effects[kind].read;
}

export class FaultNodes {
  readonly #inNode: InNode;

  constructor(inNode: InNode) {
    this.#inNode = inNode;
  }

  /**
   * Reads the state that heals a fault; of interfaces that another fault (of `all`) holds, the state from before.
   * @throws AppError when it cannot be set.
   */
  async read(
    { lab, fault }: FaultRecord,
    interfaces: FaultEnds['interfaces'],
    all: readonly FaultRecord[],
  ): Promise<FaultPart[]> {
    const read = readerOf(fault, all);
    return inAll([...interfaces], async ([node, names]) => {
      const found = await this.#inNode(lab, node, async (session) => read(session, names, fault));
      const held = heldBy(all, fault, node).filter(({ isUp }) => isUp);
      const before = (name: string) => held.find((one) => one.name === name);
      return { node, interfaces: found.map((now) => (now.isUp ? now : (before(now.name) ?? now))) };
    });
  }

  /** The same once more: an interface that is down is still the one that the fault has set down. */
  async readAgain({ lab, fault, parts }: FaultRecord): Promise<readonly FaultPart[]> {
    if (effects[fault.kind].restores !== true) return parts;
    return inAll(parts, async ({ node, interfaces }) => {
      const names = interfaces.map(({ name }) => name);
      const { read } = effects[fault.kind];
      const now = await this.#inNode(lab, node, async (session) => read(session, names, fault));
      const nowOf = (name: string) => now.find((one) => one.name === name && one.isUp);
      return { node, interfaces: interfaces.map((one) => nowOf(one.name) ?? one) };
    });
  }

  async set({ lab, fault, parts }: FaultRecord): Promise<void> {
    await inAll(parts, async ({ node, interfaces }) => {
      const names = interfaces.map(({ name }) => name);
      await this.#inNode(lab, node, async (session) => effects[fault.kind].set(session, names, fault));
    });
  }

  /**
   * Heals a fault, but for the interfaces that one of `others` holds, too.
   * @returns sentences about what did not come back. @throws AppError when a part of it stays broken.
   */
  async heal({ lab, fault, parts }: FaultRecord, others: readonly FaultRecord[]): Promise<string[]> {
    const said = await inAll(parts, async ({ node, interfaces }) => {
      const held = heldBy(others, fault, node).map(({ name }) => name);
      const own = interfaces.filter(({ name }) => !held.includes(name));
      if (own.length === 0 && interfaces.length > 0) return '';
      return this.#inNode(lab, node, async (session) => effects[fault.kind].heal(session, own, held)).catch(
        (error: unknown) => {
          if (error instanceof AppError && saysGone.includes(error.code)) return '';
          throw error;
        },
      );
    });
    return said.filter((words) => words !== '');
  }
}
