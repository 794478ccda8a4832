/** Joins faults to the labs and the events of this machine. */
import { realpath } from 'node:fs/promises';
import path from 'node:path';
import type { Labs } from '../labs/labs.ts';
import type { Logger } from '../lib/logger.ts';
import { LabFaults, type FaultDeps } from './lab-faults.ts';

interface CreateFaultsDeps {
  readonly dataDir: string;
  readonly labs: Labs;
  /** Called later, so the events may be made later. */
  readonly parts: () => { readonly events: { readonly tellFault: FaultDeps['tell'] } };
  /** Aborted when the service shuts down: what is under way then is healed at the next start. */
  readonly shutdown: AbortSignal;
  readonly log: Logger;
}

/** Nothing is touched on disk before it is opened. */
export function createFaults({ dataDir, labs, parts, shutdown, log }: CreateFaultsDeps): LabFaults {
  return new LabFaults({
    file: path.join(dataDir, 'faults.json'),
    labs: {
      list: async (cli) =>
        Promise.all(
          (await labs.named(cli).status.list()).map(async ({ id, directory, entry }) => {
            const real = directory === undefined ? '' : await realpath(directory).catch(() => directory);
            return { id, cli, directory: real, run: labs.startOf({ cli, entry })?.mark ?? null };
          }),
        ),
      topologyOf: async ({ id, cli }) => (await labs.named(cli).topologies.of(id)).topology,
      inNode: async ({ id, cli }, node, use) =>
        labs.named(cli).node({ lab: id, node }).inNetwork(shutdown, use),
    },
    tell: (lab, news) => parts().events.tellFault(lab, news),
    log,
  });
}
