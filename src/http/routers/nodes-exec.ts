import * as z from 'zod';
import { joinAnswers, type NodeAnswer } from '../../labs/nodes/lab-nodes.ts';
import { AppError } from '../../lib/app-error.ts';
import { nameRanges } from '../../lib/text/name-ranges.ts';
import { noteTarget } from '../middleware/audit.ts';
import { noteStream } from '../middleware/observe-requests.ts';
import { EventStream } from '../reply/event-stream.ts';
import { streamSignal } from '../reply/stream.ts';
import { checked } from '../request/checked.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, jsonReply, noQuery } from '../route.ts';
import { labParams } from './labs.ts';
import { commandShape, endShape } from './node-exec.ts';
import { nodeErrors } from './node-parts.ts';

/** Characters of the names of thousands of nodes, for the log and the audit. */
const maxNoted = 4_096;

const requestSchema = z
  .strictObject({
    nodes: z
      .array(z.string().min(1).max(256))
      .min(1)
      .max(256)
      .describe(
        'The nodes, each by one or more of these: its name; `all`; a pattern in which `*` stands for any characters and `?` for one; a range of numbers at the end, such as `r[1-3,5]`; a group of the topology by its name, or as `group:NAME` where a node has the same name. A node that is chosen twice runs the command once.',
      ),
    ...commandShape,
  })
  .meta({ id: 'ExecInNodesRequest', description: 'A command for many nodes.' });

const reason = z
  .enum([...endShape.reason.options, 'failed'])
  .describe(
    '`exited` by itself; killed after its `timeoutSeconds`; `canceled`, because the service stops; or `failed`: it did not begin, see `error`.',
  );

const answerSchema = z
  .object({
    nodes: z.array(z.string()).describe('The nodes that gave this answer, in the order of the lab.'),
    exitCode: endShape.exitCode,
    signal: endShape.signal,
    reason,
    output: z
      .string()
      .describe('The standard output and standard error, in order; bytes that are not UTF-8 are replaced.'),
    truncated: z
      .boolean()
      .describe(
        'Whether the output was cut: each node has 1 MiB, or its share of 4 MiB if there are more than four nodes. Outputs that were cut are compared by their beginnings.',
      ),
    error: z
      .object({
        code: z.string().describe('The error code that the same command for this node alone would get.'),
        detail: z.string().describe('The reason as a sentence, about the first of the nodes.'),
      })
      .nullable()
      .describe('Why the command did not begin; null where it did, and where it was canceled before.'),
  })
  .meta({ id: 'NodesAnswer', description: 'An answer of one node, or the same answer of several.' });

const nodeSchema = z
  .object({
    node: z.string().describe('The name of the node.'),
    exitCode: endShape.exitCode,
    reason,
    durationMs: endShape.durationMs,
  })
  .meta({ id: 'NodeExecEnd', description: 'How the command ended in one node.' });

const nodesSchema = z.array(nodeSchema).describe('Every chosen node, in the order of the lab.');

const resultSchema = z
  .object({
    nodes: nodesSchema,
    answers: z
      .array(answerSchema)
      .describe('Equal answers are joined. The answer of most nodes comes first, so the odd node is last.'),
  })
  .meta({ id: 'ExecInNodesResult', description: 'How a command in many nodes ended.' });

const events = {
  progress: nodeSchema
    .extend({
      done: z.int().describe('The number of nodes whose command has ended.'),
      total: z.int().describe('The number of chosen nodes.'),
    })
    .meta({ id: 'ExecProgressEvent', description: 'The command has ended in one more node.' }),
  answer: answerSchema,
  end: z
    .object({ nodes: nodesSchema })
    .meta({ id: 'ExecInNodesEndEvent', description: 'All answers were sent: nothing follows.' }),
};

const endOf = ({ node, exitCode, reason: why, durationMs }: NodeAnswer) => ({
  node,
  exitCode,
  reason: why,
  durationMs,
});

/** The progress of the command as events, for clients that accept them. */
class Progress {
  readonly #stream: EventStream;
  readonly #total: number;
  #done = 0;

  constructor(stream: EventStream, total: number) {
    this.#stream = stream;
    this.#total = total;
  }

  async tell(answer: NodeAnswer): Promise<void> {
    this.#done += 1;
    await this.#stream.send({
      event: 'progress',
      data: { ...endOf(answer), done: this.#done, total: this.#total },
    });
  }

  async end(answers: readonly NodeAnswer[]): Promise<void> {
    for (const answer of joinAnswers(answers)) await this.#stream.send({ event: 'answer', data: answer });
    await this.#stream.send({ event: 'end', data: { nodes: answers.map(endOf) } });
    this.#stream.end();
  }
}

export const execInNodes = defineRoute({
  method: 'post',
  path: '/labs/:id/exec',
  permission: 'operate',
  about: 'lab',
  tag: 'nodes',
  operationId: 'execInNodes',
  summary: 'Runs a command in many nodes',
  description:
    'As `POST /labs/{id}/nodes/{node}/exec` does in one, in up to eight nodes at once; each takes a place of `LAB_API_MAX_NODE_SESSIONS`. With fewer places free, fewer run at once; with none, the reply is 429. The reply comes when the last command has ended. A node that is not reached, or that takes too long, has an answer as the others do, and the status is 200 all the same. A word that chooses no node is 400, and nothing runs. `Accept: text/event-stream` gets an event for each node that is done, then the answers. A client that goes away ends all commands, and no other one begins.',
  params: labParams,
  query: noQuery,
  body: { schema: requestSchema, parse: (body) => checked(requestSchema, body) },
  replies: {
    200: {
      ...jsonReply('How it ended in each node, and the answers.', resultSchema),
      content: { 'application/json': resultSchema, 'text/event-stream': { events } },
      headers: ['Cache-Control'],
    },
  },
  errors: [
    ...nodeErrors.filter((code) => code !== 'node-not-found'),
    'invalid-request',
    'invalid-json',
    'payload-too-large',
  ],
  handler: async ({ lab, params, body, req, res, context: { log, observer, shutdown } }) => {
    const { nodes: words, command, timeoutSeconds, stdin } = body;
    res.vary('Accept');
    const wantsEvents = req.accepts(['application/json', 'text/event-stream']) === 'text/event-stream';
    let progress: Progress | undefined;
    const onBegin = (nodes: readonly string[]): void => {
      const chosen = { lab: params.id, node: nameRanges(nodes).slice(0, maxNoted) };
      noteTarget(req, chosen);
      // Its arguments may be secrets.
      const [requestId, user, program] = [req.id, userOf(req), command[0]];
      log.info('a command runs in nodes', { requestId, user, ...chosen, program });
      if (!wantsEvents) return;
      noteStream(res, 'exec', observer);
      progress = new Progress(new EventStream(res), nodes.length);
    };
    const answers = await lab.nodes.exec(
      words,
      { command, timeoutMs: timeoutSeconds * 1_000, stdin },
      { signal: streamSignal(res, shutdown), onBegin, onAnswer: (answer) => void progress?.tell(answer) },
    );
    if (progress) {
      await progress.end(answers);
      return { kind: 'sent' };
    }
    if (shutdown.aborted && answers.some((answer) => answer.reason === 'canceled'))
      throw new AppError('shutting-down', 'the service stops, and the commands were ended with it');
    const value = { nodes: answers.map(endOf), answers: joinAnswers(answers) };
    return { kind: 'json', status: 200, value, headers: { 'Cache-Control': 'no-store' } };
  },
});
