/** Joins faults to the labs and the events of this machine. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Labs } from '../labs/labs.ts';
import type { NodeSession } from '../labs/nodes/node-session.ts';
import { LruCache } from '../lib/cache/lru-cache.ts';
import type { Logger } from '../lib/logger.ts';
import type { InNode } from './fault-nodes.ts';
import { LabFaults, type FaultDeps } from './lab-faults.ts';

interface CreateFaultsDeps {
  readonly dataDir: string;
  readonly labs: Labs;
  /** Called later, so the events may be made later. */
  readonly parts: () => {
    readonly events: { readonly tellFault: FaultDeps['tell'] };
    readonly store: { unfinished(): readonly { readonly id: string }[] };
  };
  /** Aborted when the service shuts down: what is under way then is healed at the next start. */
  readonly shutdown: AbortSignal;
  readonly log: Logger;
}

const waysMax = 1_000;

/**
 * The ways into nodes are kept, for the status that they come from takes netlab a second. They lead by the names of namespaces
 * and nodes, so one into a node that is gone leads nowhere.
 */
function createWays(labs: Labs, signal: AbortSignal): InNode {
  const kept = new LruCache<{ readonly version: string; readonly session: NodeSession }>(waysMax);
  return async ({ id, cli }, node, use) => {
    const ofCli = labs.named(cli);
    const { version } = ofCli.status;
    const key = JSON.stringify([cli, id, node]);
    const known = kept.get(key);
    if (known?.version === version) return use(known.session);
    return ofCli
      .nodes(id)
      .one(node)
      .inNetwork(signal, async (session) => {
        kept.set(key, { version, session });
        return use(session);
      });
  };
}

/** Nothing is touched on disk before it is opened. */
export function createFaults({ dataDir, labs, parts, shutdown, log }: CreateFaultsDeps): LabFaults {
  return new LabFaults({
    file: path.join(dataDir, 'faults.json'),
    labs: {
      list: async (cli, isHeld) =>
        Promise.all(
          (await labs.named(cli).status.list(false, isHeld)).map(async ({ id, directory, entry }) => {
            const real = directory === undefined ? '' : await realpath(directory).catch(() => directory);
            return { id, cli, directory: real, run: labs.startOf({ cli, entry })?.mark ?? null };
          }),
        ),
      topologyOf: async ({ id, cli }) => (await labs.named(cli).topologies.of(id)).topology,
      inNode: createWays(labs, shutdown),
    },
    isRunning: (id) =>
      parts()
        .store.unfinished()
        .some((job) => job.id === id),
    tell: (lab, news) => parts().events.tellFault(lab, news),
    log,
  });
}
