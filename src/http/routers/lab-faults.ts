import * as z from 'zod';
import {
  faultSchema,
  linkFaultKinds,
  maxFaultSeconds,
  nodeFaultKinds,
  type Fault,
  type WantedFault,
} from '../../labs/model/fault.ts';
import type { LabTopology, TopologyLink } from '../../labs/drivers/topology.ts';
import { impairmentRequestSchema, impairsNothing } from '../../labs/model/impairment.ts';
import { invalidField } from '../../lib/app-error.ts';
import { checked } from '../request/checked.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, jsonReply, noQuery } from '../route.ts';
import { topologyErrors } from './lab-topology.ts';
import { labParams } from './labs.ts';
import { nodeParams } from './node-parts.ts';

const linkParams = labParams.extend({
  link: z
    .string()
    .describe(
      'The `id` of the link in `GET /labs/{id}/links`; or its two nodes, `r1-r2`, if only one link joins them.',
    ),
});

const ttlSeconds = z
  .number()
  .positive()
  .max(maxFaultSeconds)
  .optional()
  .describe(
    'After so many seconds the service heals it, also if it was started again meanwhile. Omitted: a user heals it.',
  );

/** For JSON Schema: a field that one kind needs, and no other one takes. */
const onlyWith = (field: string, kind: string) => ({
  if: { properties: { kind: { not: { const: kind } } } },
  else: { required: [field] },
  dependentSchemas: { [field]: { properties: { kind: { const: kind } } } },
});

const linkFaultRequest = z
  .strictObject({
    kind: z.enum(linkFaultKinds).describe('The kind of fault; `Fault` explains them.'),
    node: z
      .string()
      .optional()
      .describe('Only this node is cut off. Omitted: the fault is at all ends of the link.'),
    impairment: impairmentRequestSchema.optional().describe('With `impaired`, and with no other kind.'),
    ttlSeconds,
  })
  .meta({
    id: 'LinkFaultRequest',
    description: 'How a link is to be broken.',
    ...onlyWith('impairment', 'impaired'),
  });

const nodeFaultRequest = z
  .strictObject({
    kind: z.enum(nodeFaultKinds).describe('The kind of fault; `Fault` explains them.'),
    process: z
      .string()
      .min(1)
      .optional()
      .describe('With `killed`, and with no other kind: the name of the process, such as `bgpd`.'),
    ttlSeconds,
  })
  .meta({
    id: 'NodeFaultRequest',
    description: 'How a node is to be broken.',
    ...onlyWith('process', 'killed'),
  });

type Wanted = Omit<WantedFault, 'link'>;

/** A field that belongs to one kind. */
function assertOnlyWith(isKind: boolean, isGiven: boolean, [field, kind]: readonly [string, string]): void {
  if (isKind && !isGiven) throw invalidField(field, `is needed with the kind "${kind}"`);
  if (!isKind && isGiven) throw invalidField(field, `goes with the kind "${kind}" only`);
}

function wantedOfLink(body: unknown): Wanted {
  const { kind, node, impairment, ttlSeconds: ttl } = checked(linkFaultRequest, body);
  assertOnlyWith(kind === 'impaired', impairment !== undefined, ['impairment', 'impaired']);
  if (impairment && impairsNothing(impairment)) throw invalidField('impairment', 'must impair something');
  return { kind, node: node ?? null, process: null, impairment: impairment ?? null, ttlSeconds: ttl };
}

function wantedOfNode(body: unknown): Wanted {
  const { kind, process, ttlSeconds: ttl } = checked(nodeFaultRequest, body);
  assertOnlyWith(kind === 'killed', process !== undefined, ['process', 'killed']);
  return { kind, node: null, process: process ?? null, impairment: null, ttlSeconds: ttl };
}

const linkSchema = z
  .object({
    id: z.string().describe('Names the link, as in `GET /labs/{id}/topology`.'),
    type: z.string().describe('`p2p`, `lan`, `stub` or another word of the lab CLI.'),
    ends: z
      .array(
        z.object({
          node: z.string().describe('The `name` of the node.'),
          interface: z.string().describe('The `name` of its interface.'),
        }),
      )
      .describe('One for a stub, two, or more on a shared network.'),
    state: z
      .enum(['up', 'down'])
      .describe(
        '`down`: a fault holds all of its ends down, or all but one. The service knows its own faults only: an interface that was set down in a node does not count.',
      ),
    fault: faultSchema.nullable().describe('The fault of the link itself; null without one.'),
  })
  .meta({ id: 'Link', description: 'A link of a lab, with its fault.' });

const linksSchema = z
  .object({ links: z.array(linkSchema).describe('In the order of the topology.') })
  .meta({ id: 'LinkList', description: 'The links of a lab.' });

/** Kinds that set the interfaces at a link down. */
const cutsLink: Partial<Record<Fault['kind'], true>> = { down: true };

/** Whether frames get from one end of a link to another, as far as faults go. */
function stateOf({ id, endpoints }: TopologyLink, faults: readonly Fault[]): 'up' | 'down' {
  const isCut = ({ node }: { readonly node: string }): boolean =>
    faults.some((fault) =>
      fault.link === null
        ? fault.kind === 'isolated' && fault.node === node
        : fault.link === id && cutsLink[fault.kind] === true && (fault.node ?? node) === node,
    );
  const working = endpoints.filter((end) => !isCut(end)).length;
  return working === endpoints.length || working > 1 ? 'up' : 'down';
}

function linksOf({ links }: LabTopology, faults: readonly Fault[]): z.output<typeof linksSchema> {
  return {
    links: links.map((link) => ({
      id: link.id,
      type: link.type,
      ends: link.endpoints.map(({ node, interface: name }) => ({ node, interface: name })),
      state: stateOf(link, faults),
      fault: faults.find((fault) => fault.link === link.id) ?? null,
    })),
  };
}

export const listLinks = defineRoute({
  method: 'get',
  path: '/labs/:id/links',
  permission: 'read',
  about: 'lab',
  tag: 'faults',
  operationId: 'listLinks',
  summary: 'The links of a lab, and which of them are broken',
  description: 'From the same snapshot as `GET /labs/{id}/topology`, with the faults that are set now.',
  params: labParams,
  query: noQuery,
  replies: { 200: jsonReply('The links.', linksSchema) },
  errors: topologyErrors,
  handler: async ({ lab }) => ({
    kind: 'json',
    status: 200,
    value: linksOf(await lab.topology(), lab.faults),
  }),
});

const healErrors = [
  ...topologyErrors,
  'link-not-found',
  'node-not-found',
  'lab-not-up',
  'invalid-request',
] as const;
const setErrors = [
  ...healErrors,
  'interface-not-found',
  'conflict',
  'storage-fault',
  'invalid-json',
  'payload-too-large',
] as const;

const aboutSetting =
  'It is on record before it is set, stays when the service stops, and ends with the lab. It replaces the fault that the link or node has. If it cannot be set, that one stays.';

export const putLinkFault = defineRoute({
  method: 'put',
  path: '/labs/:id/links/:link/fault',
  permission: 'operate',
  about: 'lab',
  tag: 'faults',
  operationId: 'putLinkFault',
  summary: 'Breaks a link',
  description: `${aboutSetting} Healing brings back the IPv6 addresses and the static routes that the kernel drops with an interface. \`silent\` needs nftables, \`impaired\` a kernel with netem: 422 \`not-supported\` without.`,
  params: linkParams,
  query: noQuery,
  body: { schema: linkFaultRequest, parse: wantedOfLink },
  replies: { 200: jsonReply('The fault.', faultSchema) },
  errors: setErrors,
  handler: async ({ lab, params, body, req }) => ({
    kind: 'json',
    status: 200,
    value: await lab.setFault({ ...body, link: params.link }, userOf(req)),
  }),
});

const healed = { 204: { description: 'It works again.', content: {} } };

export const removeLinkFault = defineRoute({
  method: 'delete',
  path: '/labs/:id/links/:link/fault',
  permission: 'operate',
  about: 'lab',
  tag: 'faults',
  operationId: 'removeLinkFault',
  summary: 'Heals a link',
  description: 'That it was not broken is fine. Interfaces that another fault holds down stay down.',
  params: linkParams,
  query: noQuery,
  replies: healed,
  errors: healErrors,
  handler: async ({ lab, params, req }) => {
    await lab.healFaults({ link: params.link, node: null }, userOf(req));
    return { kind: 'empty' };
  },
});

export const putNodeFault = defineRoute({
  method: 'put',
  path: '/labs/:id/nodes/:node/fault',
  permission: 'operate',
  about: 'lab',
  tag: 'faults',
  operationId: 'putNodeFault',
  summary: 'Breaks a node',
  description: `${aboutSetting} A process that was killed comes back only if the node itself starts it again, as FRR's \`watchfrr\` does.`,
  params: nodeParams,
  query: noQuery,
  body: { schema: nodeFaultRequest, parse: wantedOfNode },
  replies: { 200: jsonReply('The fault.', faultSchema) },
  errors: setErrors,
  handler: async ({ lab, params, body, req }) => ({
    kind: 'json',
    status: 200,
    value: await lab.setFault({ ...body, link: null, node: params.node }, userOf(req)),
  }),
});

export const removeNodeFault = defineRoute({
  method: 'delete',
  path: '/labs/:id/nodes/:node/fault',
  permission: 'operate',
  about: 'lab',
  tag: 'faults',
  operationId: 'removeNodeFault',
  summary: 'Heals a node',
  description: 'That it was not broken is fine. Links that have a fault of their own stay broken.',
  params: nodeParams,
  query: noQuery,
  replies: healed,
  errors: healErrors,
  handler: async ({ lab, params, req }) => {
    await lab.healFaults({ link: null, node: params.node }, userOf(req));
    return { kind: 'empty' };
  },
});

export const removeLabFaults = defineRoute({
  method: 'delete',
  path: '/labs/:id/faults',
  permission: 'operate',
  about: 'lab',
  tag: 'faults',
  operationId: 'removeLabFaults',
  summary: 'Heals all links and nodes of a lab',
  description: 'That none was broken is fine.',
  params: labParams,
  query: noQuery,
  replies: { 204: { description: 'All links and nodes work again.', content: {} } },
  errors: healErrors,
  handler: async ({ lab, req }) => {
    await lab.healFaults(undefined, userOf(req));
    return { kind: 'empty' };
  },
});
