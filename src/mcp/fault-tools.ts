/** Tools that break links and nodes of a lab, and heal them. */
import * as z from 'zod';
import type { LinkFaultRequest, NodeFaultRequest } from '../client/api-types.ts';
import { jobTool } from './start-tools.ts';
import { defineTool, lab, node, pathName } from './tool.ts';

type NodeKind = NodeFaultRequest['kind'];
type LinkKind = LinkFaultRequest['kind'];

const linkKinds = ['down', 'silent', 'impaired'] as const satisfies readonly LinkKind[];
const nodeKinds = ['isolated', 'paused', 'killed'] as const satisfies readonly NodeKind[];

const linkName = 'its id from list_links, or r1-r2 if it is the only link between these two nodes';

const isOfNodes = (kind: LinkKind | NodeKind): kind is NodeKind =>
  (nodeKinds as readonly string[]).includes(kind);

/** All faults of a lab, those of nodes included. */
const faultsOf = (data: unknown): unknown => (data as { faults?: unknown }).faults;

const listLinks = defineTool({
  name: 'list_links',
  title: 'List links and faults',
  description:
    'Lists the links of a lab with their ends, and whether each is up or down; and all faults of its links and nodes, with the user who has set each and its end. Only set_fault and scenarios make faults: an interface that was set down in a node counts as up.',
  input: { lab },
  effect: 'looks',
  operations: ['GET /labs/{lab}/links', 'GET /labs/{lab}'],
  run: async (input, ask) => {
    const [links, whole] = await Promise.all([
      ask('GET /labs/{lab}/links', input),
      ask('GET /labs/{lab}', input),
    ]);
    return { data: { ...(links.data as object), faults: faultsOf(whole.data) } };
  },
});

const setFault = defineTool({
  name: 'set_fault',
  title: 'Break a link or a node',
  description:
    'Breaks a link or a node of a lab until it is healed, and returns the fault at once. It replaces the fault that the link or node has. Use it to see by hand what the network does, with run_in_node; use run_scenario to break several links in turn or to measure outages. Break only labs that you have started, or that the user has named.',
  input: {
    lab,
    kind: z
      .enum([...linkKinds, ...nodeKinds])
      .describe(
        'Of a link: "down", interfaces at both ends are down; "silent", they stay up and lose every frame; "impaired", packets are late or lost. Of a node: "isolated", all its links are down; "paused", its processes are stopped; "killed", one process is killed.',
      ),
    target: pathName.describe(`The name of the node, or of the link: ${linkName}.`),
    node: pathName.optional().describe('With a link: cut off this node only. Default: all its ends.'),
    process: z.string().optional().describe('With "killed": the name of the process, such as bgpd.'),
    impairment: z
      .record(z.string(), z.number())
      .optional()
      .describe(
        'With "impaired": one or more of delayMs, jitterMs, lossPercent, duplicatePercent, corruptPercent, rateKbps.',
      ),
    ttlSeconds: z
      .number()
      .positive()
      .optional()
      .describe('The fault is healed after that time. Give it unless the user wants the fault to stay.'),
  },
  effect: 'destroys',
  operations: ['PUT /labs/{lab}/links/{target}/fault', 'PUT /labs/{lab}/nodes/{target}/fault'],
  run: async (input, ask) => {
    const where = isOfNodes(input.kind) ? 'nodes' : 'links';
    const { data } = await ask(`PUT /labs/{lab}/${where}/{target}/fault`, input);
    return { hint: 'It is broken until its end, or until heal_faults.', data };
  },
});

const healFaults = defineTool({
  name: 'heal_faults',
  title: 'Heal links and nodes',
  description:
    'Heals the named link or node of a lab, or all of its links and nodes if none is named, and returns the faults that remain.',
  input: {
    lab,
    link: pathName.optional().describe(`Heal this link: ${linkName}.`),
    node: node.optional().describe('Heal this node.'),
  },
  effect: 'changes',
  operations: [
    'DELETE /labs/{lab}/faults',
    'DELETE /labs/{lab}/links/{link}/fault',
    'DELETE /labs/{lab}/nodes/{node}/fault',
  ],
  run: async ({ link, node: named, ...where }, ask) => {
    if (link !== undefined) await ask('DELETE /labs/{lab}/links/{link}/fault', { ...where, link });
    if (named !== undefined) await ask('DELETE /labs/{lab}/nodes/{node}/fault', { ...where, node: named });
    if (link === undefined && named === undefined) await ask('DELETE /labs/{lab}/faults', where);
    const { data } = await ask('GET /labs/{lab}', where);
    return { data: { faults: faultsOf(data) } };
  },
});

const runScenario = jobTool({
  name: 'run_scenario',
  title: 'Run a scenario',
  description:
    'Breaks links and nodes of a lab one after the other, measures the traffic meanwhile, and returns the id of a job at once. When the job has ended, wait_for_job returns "result" with the verdict on each fault and its reason, and read_log has the outage of each flow. The job fails if one fault has failed. All faults are healed at its end, also after cancel_job. Run it only in labs that you have started, or that the user has named.',
  input: {
    lab,
    scenario: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'The scenario, such as {"flows": [{"from": "h1", "to": "h2"}], "each": {"of": "link"}, "expect": {"outage": "2s"}, "hold": "10s"}. "flows": from a node to a node or an address. "each": break every "link" between routers, every router ("node") or every "pair" of links; with "except": names, and "kind" as in set_fault. "faults", beside it or instead: a list of {"link": "r1-r2"} or {"node": "r1"} with "kind", "with": a list of more to break at the same time, and "outage". "expect": the longest outage allowed; without it, traffic must only be back before the fault is healed. "hold": how long a fault stays, default 30s. "steady": {"for": "3s", "within": "60s", "loss": 0}, which must hold before the first fault and after each. "steady" and "expect" take "tests", too: names of tests of the lab that must pass. "paths": true reports which nodes the flows pass; "shard": "1/4" runs a part of the faults; "capture" keeps packets. /openapi.json has all fields: Scenario.',
      ),
    scenarioPath: z
      .string()
      .optional()
      .describe('A file with a scenario in the directory of the lab, in place of scenario.'),
  },
  effect: 'destroys',
  action: 'scenario',
});

export const faultTools = [listLinks, setFault, healFaults, runScenario];
