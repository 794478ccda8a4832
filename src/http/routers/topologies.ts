import * as z from 'zod';
import { invalidRequest } from '../../lib/app-error.ts';
import { issueWords } from '../../lib/text/issue-words.ts';
import { textPattern } from '../../labs/model/options.ts';
import { passToWorkspace } from '../cluster/pass-to-workspace.ts';
import { streamSignal } from '../reply/stream.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, hostQuery, jsonReply, noParams } from '../route.ts';

const text = z.string().regex(new RegExp(textPattern), 'must not contain a NUL character');

/** A name, or a path below the directory, of a file that shells and lab CLIs take as it is. */
const pathPattern = /^[\wÀ-ſ-][\wÀ-ſ .-]{0,99}(?:\/[\wÀ-ſ-][\wÀ-ſ .-]{0,99}){0,7}$/;

const requestSchema = z
  .strictObject({
    topology: text.describe('The topology, as YAML text.'),
    path: z
      .string()
      .regex(pathPattern, 'must name a file, such as "topology.yml" or "labs/ospf.yml"')
      .default('topology.yml')
      .describe('The name of the file that has the text, or would have it, in the directory of the lab.'),
    workspace: text
      .optional()
      .describe(
        'The files of this workspace are beside the topology: plugins, templates, other topologies. They are copied, up to 16 MiB, without files over 1 MiB.',
      ),
  })
  .meta({ id: 'TopologyCheckRequest', description: 'A topology that a lab CLI is to look at.' });

type CheckRequest = z.output<typeof requestSchema>;

const problemSchema = z
  .object({
    line: z.int().nullable().describe('The number of the line; the first is 1. Null if it is unknown.'),
    column: z
      .int()
      .nullable()
      .describe('The number of the character in that line; the first is 1. Null if it is unknown.'),
    node: z.string().nullable().describe('The node that it is about, or null.'),
    link: z
      .int()
      .nullable()
      .describe('The link that it is about, by its number in `links`; the first is 1. Null if it is none.'),
    message: z.string().describe('A sentence for a person.'),
    severity: z
      .enum(['error', 'warning'])
      .describe('`error`: a lab cannot be started so. `warning`: it can, perhaps not as it was meant.'),
  })
  .meta({ id: 'TopologyProblem', description: 'A mistake in a topology, or a warning about it.' });

const checkSchema = z
  .object({
    valid: z.boolean().describe('Whether there is no error.'),
    cli: z.string().describe('The lab CLI that looked at it, as `GET /` calls it.'),
    problems: z.array(problemSchema).describe('Errors and warnings, at most 100.'),
  })
  .meta({ id: 'TopologyCheck', description: 'The opinion of a lab CLI about a topology.' });

function parse(body: unknown): CheckRequest {
  const { data, error } = requestSchema.safeParse(body, { error: issueWords });
  if (error) throw invalidRequest(error.issues);
  return data;
}

export const checkTopology = defineRoute({
  method: 'post',
  path: '/topologies/check',
  permission: 'operate',
  about: 'thisHost',
  isByCli: true,
  // An editor sends one after each pause in typing.
  changesNothing: true,
  tag: 'labs',
  operationId: 'checkTopology',
  summary: 'Checks a topology, and starts nothing',
  description:
    'Runs `create` of the lab CLI in a directory that is removed afterwards, with the rights and the user of a job: no lab and no workspace changes. It takes a second or two, 30 seconds at most, and ends when the client closes the connection. One check of each user runs at a time, and two in all; the others wait. Lines, nodes and links are given as far as the message tells them.',
  params: noParams,
  query: hostQuery,
  body: { schema: requestSchema, parse },
  replies: { 200: jsonReply('The result.', checkSchema) },
  errors: [
    'invalid-json',
    'payload-too-large',
    'workspace-not-found',
    'forbidden-path',
    'not-supported',
    'queue-full',
    'disk-full',
    'storage-fault',
    'lab-cli-failed',
    'lab-cli-missing',
    'lab-cli-timeout',
    'shutting-down',
    'host-unavailable',
  ],
  handler: async ({ body, req, res, context }) => {
    const { workspace } = body;
    if (await passToWorkspace({ req, res }, workspace, context)) return { kind: 'sent' };
    if (workspace !== undefined) context.workspaces.find(workspace, 'change');
    const asked = { ...body, workspace, user: userOf(req), signal: streamSignal(res, context.shutdown) };
    return { kind: 'json', status: 200, value: await context.labs.check(asked) };
  },
});
