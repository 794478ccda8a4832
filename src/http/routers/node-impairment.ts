import * as z from 'zod';
import type { Impairment } from '../../labs/nodes/impairment.ts';
import { invalidField } from '../../lib/app-error.ts';
import { streamSignal } from '../reply/stream.ts';
import { checked } from '../request/checked.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, jsonReply, noQuery, type Reply } from '../route.ts';
import { interfaceParams, nodeErrors, nodeNameOf } from './node-parts.ts';

const none: Impairment = {
  delayMs: 0,
  jitterMs: 0,
  lossPercent: 0,
  duplicatePercent: 0,
  corruptPercent: 0,
  rateKbps: 0,
};

/** Ten minutes; what the kernel counts in has room for an hour. */
const maxDelayMs = 600_000;
const delay = z.number().min(0).max(maxDelayMs).default(0);
const percent = z.number().min(0).max(100).default(0);

const shape = {
  delayMs: delay.describe('Every packet is that late, in milliseconds.'),
  jitterMs: delay.describe('By how much the delay varies, up and down, in milliseconds.'),
  lossPercent: percent.describe('How many packets in a hundred are lost.'),
  duplicatePercent: percent.describe('How many packets in a hundred come twice.'),
  corruptPercent: percent.describe('In how many packets in a hundred a bit is turned.'),
  rateKbps: z
    .number()
    .min(0)
    .max(1e9)
    .default(0)
    .describe('How many thousand bits in a second go out at most; 0: as many as can.'),
};

const requestSchema = z.strictObject(shape).meta({
  id: 'ImpairmentRequest',
  description: 'The impairment of packets; omitted fields are 0.',
  not: { properties: Object.fromEntries(Object.keys(shape).map((name) => [name, { const: 0 }])) },
});

const impairmentSchema = z
  .object({ isImpaired: z.boolean().describe('Whether packets are impaired.'), ...shape })
  .meta({
    id: 'Impairment',
    description: 'The impairment of packets that leave a node through an interface.',
  });

function replyOf(impairment: Impairment | undefined): Reply {
  return {
    kind: 'json',
    status: 200,
    value: { isImpaired: impairment !== undefined, ...(impairment ?? none) },
  };
}

const path = '/labs/:id/nodes/:node/interfaces/:interface/impairment';
const errors = [...nodeErrors, 'interface-not-found'] as const;
const aboutDirections =
  'It applies to packets that leave the node; for both directions, impair both ends of the link. The service uses `tc` with netem, like `netlab tc`; on a kernel without it, the reply is 422 `not-supported`.';

export const getImpairment = defineRoute({
  method: 'get',
  path,
  permission: 'read',
  about: 'lab',
  tag: 'nodes',
  operationId: 'getImpairment',
  summary: 'The impairment of an interface',
  description: `Read from the kernel, so an impairment made outside of this service is shown, too. ${aboutDirections}`,
  params: interfaceParams,
  query: noQuery,
  replies: { 200: jsonReply('The impairment.', impairmentSchema) },
  errors,
  handler: async ({ lab, params, res, context: { shutdown } }) => {
    const signal = streamSignal(res, shutdown);
    return replyOf(await lab.node(params.node).impairment(params.interface, signal));
  },
});

export const putImpairment = defineRoute({
  method: 'put',
  path,
  permission: 'operate',
  about: 'lab',
  tag: 'nodes',
  operationId: 'putImpairment',
  summary: 'Makes a link slow or unreliable',
  description: `Replaces the impairment. The reply has the values that the kernel applied. ${aboutDirections}`,
  params: interfaceParams,
  query: noQuery,
  body: {
    schema: requestSchema,
    parse: (body) => {
      const wanted = checked(requestSchema, body);
      if (Object.values(wanted).every((value) => value === 0))
        throw invalidField('body', 'must impair something; DELETE ends an impairment');
      return wanted;
    },
  },
  replies: { 200: jsonReply('The impairment from now on.', impairmentSchema) },
  errors: [...errors, 'invalid-json', 'payload-too-large'],
  handler: async ({ lab, params, body, req, res, context: { log, shutdown } }) => {
    const signal = streamSignal(res, shutdown);
    const made = await lab.node(params.node).impair(params.interface, body, signal);
    const about = {
      requestId: req.id,
      user: userOf(req),
      ...nodeNameOf(params),
      interface: params.interface,
    };
    log.info('a link was impaired', about);
    return replyOf(made);
  },
});

export const removeImpairment = defineRoute({
  method: 'delete',
  path,
  permission: 'operate',
  about: 'lab',
  tag: 'nodes',
  operationId: 'removeImpairment',
  summary: 'Ends an impairment',
  description: 'Packets leave as they would by themselves. That nothing happened to them before is fine.',
  params: interfaceParams,
  query: noQuery,
  replies: { 204: { description: 'Nothing happens to packets.', content: {} } },
  errors,
  handler: async ({ lab, params, res, context: { shutdown } }) => {
    await lab.node(params.node).mend(params.interface, streamSignal(res, shutdown));
    return { kind: 'empty' };
  },
});
