/** One command in many nodes of a lab, over HTTP. */
import { isMapping } from '../lib/mapping.ts';
import type {
  ExecInNodesEndEvent,
  ExecInNodesRequest,
  ExecInNodesResult,
  ExecProgressEvent,
  NodesAnswer,
} from './api-types.ts';
import type { Connection, RequestOptions } from './connection.ts';
import { parsedObject } from './expected.ts';
import { eventsOf } from './resuming-events.ts';
import { ConnectionError, UnexpectedReply } from './service-error.ts';

export interface ExecInNodesOptions extends Pick<RequestOptions, 'signal'> {
  /** Called when the command has ended in one more node. */
  readonly onProgress?: (progress: ExecProgressEvent) => void;
}

const isCode = (value: unknown): boolean => value === null || typeof value === 'number';
const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

function asAnswer(data: string): NodesAnswer {
  const answer = parsedObject(data);
  const { nodes, output, exitCode, reason, error } = answer;
  const isSound =
    isTexts(nodes) &&
    typeof output === 'string' &&
    typeof reason === 'string' &&
    isCode(exitCode) &&
    (error === null || (isMapping(error) && typeof error['detail'] === 'string'));
  if (isSound) return answer as unknown as NodesAnswer;
  throw new UnexpectedReply('the event "answer" does not have the expected data');
}

function nodesOf(data: string): ExecInNodesEndEvent['nodes'] {
  const { nodes } = parsedObject(data);
  const isEnd = (one: unknown): boolean =>
    isMapping(one) && typeof one['node'] === 'string' && isCode(one['exitCode']);
  if (Array.isArray(nodes) && nodes.every(isEnd)) return nodes as ExecInNodesEndEvent['nodes'];
  throw new UnexpectedReply('the reply does not say how the command ended');
}

/** As events: a proxy does not close a connection that is never silent for long. */
export async function execInNodes(
  connection: Connection,
  lab: string,
  request: ExecInNodesRequest,
  { signal, onProgress }: ExecInNodesOptions,
): Promise<ExecInNodesResult> {
  const headers = { Accept: 'text/event-stream' };
  const path = `/labs/${encodeURIComponent(lab)}/exec`;
  const response = await connection.send('POST', path, { headers, body: request, signal });
  const answers: NodesAnswer[] = [];
  for await (const { event, data } of eventsOf(response, async (read) =>
    connection.lossNamed(read, { signal }),
  )) {
    if (event === 'progress') onProgress?.(parsedObject(data) as unknown as ExecProgressEvent);
    if (event === 'answer') answers.push(asAnswer(data));
    if (event === 'end') return { nodes: nodesOf(data), answers };
  }
  throw new ConnectionError('the connection was lost; the service ends the commands');
}
