import * as z from 'zod';
import {
  impairmentRequestSchema,
  impairmentShape,
  impairsNothing,
  type Impairment,
} from '../../labs/model/impairment.ts';
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

const impairmentSchema = z
  .object({ isImpaired: z.boolean().describe('Whether packets are impaired.'), ...impairmentShape })
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
    schema: impairmentRequestSchema,
    parse: (body) => {
      const wanted = checked(impairmentRequestSchema, body);
      if (impairsNothing(wanted))
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
