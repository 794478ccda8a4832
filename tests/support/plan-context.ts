import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../src/labs/system/allowed-roots.ts';
import { netlab } from '../../src/labs/drivers/netlab/netlab.ts';
import { planCommand, type LabRequest, type PlanContext } from '../../src/labs/plan/plan-command.ts';
import { WorkspacePlaces } from '../../src/labs/workspaces/workspace-places.ts';

/** A machine with netlab, whose status lists the instances in `known`, by their directories. */
export function planContext(serverDirectory: string, known: Readonly<Record<string, string>>): PlanContext {
  return {
    cli: { name: 'netlab', file: '/bin/netlab', binDirs: [], driver: netlab },
    roots: new AllowedRoots([]),
    topologyHosts: [],
    mayNameUnknown: true,
    directoryOf: (instance) => Promise.resolve(known[instance]),
    instanceIn: (directory) => Promise.resolve(Object.keys(known).find((id) => known[id] === directory)),
    entryOf: async () => undefined,
    serverDirectory,
    workspaces: new WorkspacePlaces(path.join(serverDirectory, 'workspaces')),
    env: {},
    runIn: () => Promise.reject(new Error('nothing is looked at here')),
  };
}

/** A new directory below `root` for a server to run in, with a lab in its subdirectory `lab`. */
export function serverWithLab(root: string): { readonly server: string; readonly lab: string } {
  const server = mkdtempSync(path.join(root, 'server-'));
  const lab = path.join(server, 'lab');
  mkdirSync(lab);
  writeFileSync(path.join(lab, 'topology.yml'), 'nodes: [a]\n');
  return { server, lab };
}

/** Where the plans of tests have the topology that their job would keep. */
export const saved = '/data/jobs/job-1/topology.yml';

/** The plan of a request, `up` unless it says another action, with its command as a program and its arguments, and its number of nodes. */
export async function planAndCommand(request: Partial<LabRequest>, context: PlanContext) {
  const { command, countNodes, ...plan } = await planCommand(
    { action: 'up', options: {}, ...request },
    context,
  );
  const [program, ...args] = command(saved);
  return { program, plan: { ...plan, args, nodeCount: await countNodes?.() } };
}
