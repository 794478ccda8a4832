import { isUtf8 } from 'node:buffer';
import type { Request, Response } from 'express';
import * as z from 'zod';
import { collectExec, type Exec } from '../../labs/nodes/exec.ts';
import { AppError } from '../../lib/app-error.ts';
import { noteStream } from '../middleware/observe-requests.ts';
import { EventStream } from '../reply/event-stream.ts';
import { startStream, streamSignal, writePaced } from '../reply/stream.ts';
import { checked } from '../request/checked.ts';
import { userOf } from '../request/user.ts';
import { defineRoute, jsonReply, noQuery } from '../route.ts';
import { nodeErrors, nodeNameOf, nodeParams } from './node-parts.ts';

const maxSeconds = 3_600;
const defaultSeconds = 60;
/** The kernel takes a word of up to 128 KiB (execve(2), MAX_ARG_STRLEN). */
const maxWordLength = 32_768;
/** As much output as a reply in JSON has. */
const keptBytes = 1024 * 1024;

const withoutNul = /^[^\0]*$/;
const word = z.string().max(maxWordLength).regex(withoutNul, 'must not have a NUL byte');

/** A command, for a node or for many. */
export const commandShape = {
  command: z
    .array(word)
    .min(1)
    .max(256)
    .refine(([program]) => program?.startsWith('-') !== true, {
      path: [0],
      message: 'must be the name of a program, and not begin with -',
    })
    .meta({ not: { prefixItems: [{ pattern: '^-' }] } })
    .describe(
      'The program and its arguments, as they are: no shell reads them. For a line of a shell: `["sh", "-c", "…"]`.',
    ),
  timeoutSeconds: z
    .number()
    .min(0.1)
    .max(maxSeconds)
    .default(defaultSeconds)
    .describe('How long it may run, in seconds. It is killed then.'),
  stdin: z
    .string()
    .regex(withoutNul, 'must not have a NUL byte')
    .default('')
    .describe('The standard input of the command.'),
};

const requestSchema = z
  .strictObject(commandShape)
  .meta({ id: 'ExecRequest', description: 'A command for a node.' });

export const endShape = {
  exitCode: z
    .int()
    .nullable()
    .describe(
      'As the command gave it; 128 + the number of a signal that ended it; null when it was ended from here.',
    ),
  signal: z
    .enum(['SIGKILL'])
    .nullable()
    .describe('With which it was ended from here; null when it ended by itself.'),
  reason: z
    .enum(['exited', 'timeout', 'canceled'])
    .describe('`exited` by itself, killed after its `timeoutSeconds`, or because the service stops.'),
  durationMs: z.int().min(0).describe('From the request to its end, in milliseconds.'),
};

const resultSchema = z
  .object({
    ...endShape,
    output: z
      .string()
      .describe('The standard output and standard error, in order; bytes that are not UTF-8 are replaced.'),
    truncated: z.boolean().describe('Whether the output exceeded 1 MiB and was cut there.'),
  })
  .meta({ id: 'ExecResult', description: 'How a command in a node ended.' });

const events = {
  output: z
    .object({
      output: z.string().describe('The next piece of what it printed.'),
      encoding: z
        .enum(['utf8', 'base64'])
        .describe('`base64` for a piece that is not UTF-8 by itself: no byte is lost.'),
    })
    .meta({ id: 'ExecOutputEvent', description: 'The next output of the command.' }),
  end: z
    .object(endShape)
    .meta({ id: 'ExecEndEvent', description: 'The command has ended: nothing follows.' }),
};

/** A reply that breaks off says that it is not the whole; the exit code is a trailer (RFC 9110, section 6.5). */
async function sendText({ output, ended }: Exec, res: Response): Promise<void> {
  res.setHeader('Trailer', 'X-Exit-Code');
  startStream(res, 'text/plain; charset=utf-8');
  for await (const chunk of output) await writePaced(res, chunk);
  const { exitCode } = await ended;
  if (exitCode === null) return void res.destroy();
  res.addTrailers({ 'X-Exit-Code': String(exitCode) });
  res.end();
}

async function sendEvents({ output, ended }: Exec, res: Response): Promise<void> {
  const stream = new EventStream(res);
  for await (const chunk of output) {
    const encoding = isUtf8(chunk) ? 'utf8' : 'base64';
    await stream.send({ event: 'output', data: { output: chunk.toString(encoding), encoding } });
  }
  await stream.send({ event: 'end', data: await ended });
  stream.end();
}

function wantedForm(req: Request): 'json' | 'text' | 'events' {
  const accepted = req.accepts(['application/json', 'text/plain', 'text/event-stream']);
  if (accepted === 'text/event-stream') return 'events';
  return accepted === 'text/plain' ? 'text' : 'json';
}

export const execInNode = defineRoute({
  method: 'post',
  path: '/labs/:id/nodes/:node/exec',
  permission: 'operate',
  about: 'lab',
  tag: 'nodes',
  operationId: 'execInNode',
  summary: 'Runs a command in a node',
  description:
    'Without a shell: the program of the node gets the words as they are. The reply comes at the end of the command, with up to 1 MiB of what it printed. `Accept: text/plain` gets all bytes as they come, with the exit code as the trailer `X-Exit-Code`, and breaks off when the command was killed; `text/event-stream` gets both as events. A client that goes away, and a service that goes down, ends the command with all that is in its process group in the node; what made itself a daemon stays. In a node that is a container it is `docker exec` (whose image needs `sh` and `head`); one that is no container answers 422 `not-supported`.',
  params: nodeParams,
  query: noQuery,
  body: {
    schema: requestSchema,
    parse: (body) => checked(requestSchema, body),
  },
  replies: {
    200: {
      ...jsonReply('How it ended, and what it printed.', resultSchema),
      content: { 'application/json': resultSchema, 'text/plain': 'bytes', 'text/event-stream': { events } },
      headers: ['Cache-Control'],
    },
  },
  errors: [...nodeErrors, 'invalid-json', 'payload-too-large'],
  handler: async ({ lab, params, body, req, res, context: { log, observer, shutdown } }) => {
    const { command, timeoutSeconds, stdin } = body;
    const request = { command, timeoutMs: timeoutSeconds * 1_000, stdin };
    const exec = await lab.node(params.node).exec(request, streamSignal(res, shutdown));
    // Its arguments may be secrets.
    log.info('a command runs in a node', {
      requestId: req.id,
      user: userOf(req),
      ...nodeNameOf(params),
      program: command[0],
    });
    res.vary('Accept');
    const form = wantedForm(req);
    if (form !== 'json') noteStream(res, 'exec', observer);
    if (form === 'text') await sendText(exec, res);
    else if (form === 'events') await sendEvents(exec, res);
    else {
      const result = await collectExec(exec, keptBytes);
      if (shutdown.aborted && result.reason === 'canceled')
        throw new AppError('shutting-down', 'the service stops, and the command was ended with it');
      return { kind: 'json', status: 200, value: result, headers: { 'Cache-Control': 'no-store' } };
    }
    return { kind: 'sent' };
  },
});
