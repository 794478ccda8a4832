/** Tools that break links and nodes of a lab, and heal them. */
import * as z from 'zod';
import type { LinkFaultRequest, NodeFaultRequest } from '../client/api-types.ts';
import { defineTool, pathName } from './tool.ts';

type NodeKind = NodeFaultRequest['kind'];
type LinkKind = LinkFaultRequest['kind'];

const linkKinds = ['down', 'silent', 'impaired'] as const satisfies readonly LinkKind[];
const nodeKinds = ['isolated', 'paused', 'killed'] as const satisfies readonly NodeKind[];

const lab = pathName.describe('The id of the lab, as list_labs returns it.');
const linkName = 'its id from list_links, or r1-r2 if it is the only link between these two nodes';

const isOfNodes = (kind: LinkKind | NodeKind): kind is NodeKind =>
  (nodeKinds as readonly string[]).includes(kind);

const listLinks = defineTool({
  name: 'list_links',
  title: 'List links and faults',
  description:
    'Lists the links of a lab with their ends, and whether each is up or down; and all faults of its links and nodes, with the user who has set each and its end. It tells of faults that were set by set_fault or a scenario only: an interface that was set down in a node still counts as up.',
  input: { lab },
  effect: 'looks',
  run: async ({ lab: id }, { client }) => {
    const of = client.faults(id);
    const [links, faults] = await Promise.all([of.links(), of.list()]);
    return { data: { links, faults } };
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
  run: async ({ lab: id, target, kind, ...more }, { client }) => {
    const of = client.faults(id);
    // JSON leaves out what was not given; the service knows which fields go with which kind.
    const fields: object = more;
    const data = isOfNodes(kind)
      ? await of.breakNode(target, { kind, ...fields })
      : await of.breakLink(target, { kind, ...fields });
    return { hint: 'It is broken until its end, or until heal_faults.', data };
  },
});

const healFaults = defineTool({
  name: 'heal_faults',
  title: 'Heal links and nodes',
  description:
    'Heals the named link or node of a lab, or all of its links and nodes if none is named, and returns the faults that remain. That nothing was broken is fine.',
  input: {
    lab,
    link: pathName.optional().describe(`Heal this link: ${linkName}.`),
    node: pathName.optional().describe('Heal this node.'),
  },
  effect: 'changes',
  run: async ({ lab: id, link, node }, { client }) => {
    const of = client.faults(id);
    if (link !== undefined) await of.healLink(link);
    if (node !== undefined) await of.healNode(node);
    if (link === undefined && node === undefined) await of.healAll();
    return { data: { faults: await of.list() } };
  },
});

export const faultTools = [listLinks, setFault, healFaults];
