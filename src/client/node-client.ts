/** Operations on one node of a lab, over HTTP. */
import { isMapping } from '../lib/mapping.ts';
import type { ExecEndEvent, ExecRequest, ExecResult, Impairment, ImpairmentRequest } from './api-types.ts';
import type { Connection, RequestOptions } from './connection.ts';
import { parsedObject, type JsonObject } from './expected.ts';
import { eventsOf } from './resuming-events.ts';
import { ConnectionError, UnexpectedReply } from './service-error.ts';
import { Terminal, type TerminalSize } from './terminal.ts';

type Aborted = Pick<RequestOptions, 'signal'>;

export type ExecNews =
  | { readonly kind: 'output'; readonly bytes: Uint8Array }
  | { readonly kind: 'end'; readonly end: ExecEndEvent };

function asEnd(value: JsonObject): ExecEndEvent {
  const { exitCode, reason } = value;
  if ((exitCode === null || typeof exitCode === 'number') && typeof reason === 'string')
    return value as unknown as ExecEndEvent;
  throw new UnexpectedReply('the reply does not say how the command ended');
}

function bytesOf({ output, encoding }: JsonObject): Uint8Array {
  if (typeof output !== 'string' || (encoding !== 'utf8' && encoding !== 'base64'))
    throw new UnexpectedReply('the event "output" does not have the expected data');
  if (encoding === 'utf8') return new TextEncoder().encode(output);
  return Uint8Array.from(atob(output), (character) => character.charCodeAt(0));
}

function asImpairment(value: unknown): Impairment {
  if (isMapping(value) && typeof value['isImpaired'] === 'boolean') return value as unknown as Impairment;
  throw new UnexpectedReply('the reply is not an impairment');
}

/** Which packets a capture has. */
export interface CaptureFilter {
  /** As pcap-filter(7) has it. */
  readonly filter?: string | undefined;
  readonly packets?: number | undefined;
  readonly seconds?: number | undefined;
  readonly snaplen?: number | undefined;
  /** Default: `pcap`. */
  readonly output?: 'pcap' | 'text' | undefined;
}

/**
 * One node. Methods throw as those of `LabApiClient` do; nothing is tried again: a command may have been started when the
 * connection was lost.
 */
export class NodeClient {
  readonly #connection: Connection;
  readonly #path: string;

  constructor(connection: Connection, lab: string, node: string) {
    this.#connection = connection;
    this.#path = `/labs/${encodeURIComponent(lab)}/nodes/${encodeURIComponent(node)}`;
  }

  /** Runs a command to its end; of what it prints, the first MiB is kept. */
  async exec(request: ExecRequest, { signal }: Aborted = {}): Promise<ExecResult> {
    const result = await this.#connection.json('POST', `${this.#path}/exec`, { body: request, signal });
    const { output, truncated } = result;
    if (typeof output !== 'string' || typeof truncated !== 'boolean')
      throw new UnexpectedReply('the reply does not contain the output of the command');
    return { ...asEnd(result), output, truncated };
  }

  /** Runs a command and yields its output, then `end`. The command ends if the consumer stops. */
  async *run(request: ExecRequest, { signal }: Aborted = {}): AsyncGenerator<ExecNews, void, void> {
    const headers = { Accept: 'text/event-stream' };
    const response = await this.#connection.send('POST', `${this.#path}/exec`, {
      headers,
      body: request,
      signal,
    });
    const events = eventsOf(response, async (read) => this.#connection.lossNamed(read, { signal }));
    for await (const { event, data } of events) {
      if (event === 'output') yield { kind: 'output', bytes: bytesOf(parsedObject(data)) };
      if (event !== 'end') continue;
      yield { kind: 'end', end: asEnd(parsedObject(data)) };
      return;
    }
    throw new ConnectionError('the connection was lost; the service ends the command');
  }

  /** The log of the node as bytes; with `follow`, until the node ends or the consumer stops. */
  async log(
    query: { readonly tail?: number; readonly follow?: boolean; readonly plain?: boolean } = {},
    { signal }: Aborted = {},
  ): Promise<Response> {
    return this.#connection.send('GET', `${this.#path}/log`, { query, signal });
  }

  /** The running configuration of the node, as text. */
  async configuration({ signal }: Aborted = {}): Promise<Response> {
    return this.#connection.send('GET', `${this.#path}/configuration`, { signal });
  }

  /** Packets in the format of pcap, or as text, as they come. */
  async capture(
    interfaceName: string,
    filter: CaptureFilter = {},
    { signal }: Aborted = {},
  ): Promise<Response> {
    const path = `${this.#interface(interfaceName)}/capture`;
    return this.#connection.send('GET', path, { query: { ...filter }, signal });
  }

  /** A shell, or the program that the lab CLI starts for a person. */
  async terminal(size: TerminalSize, onOutput: (bytes: Uint8Array) => void): Promise<Terminal> {
    return Terminal.open(this.#connection, `${this.#path}/terminal`, size, onOutput);
  }

  /** A connection for SSH, as binary messages; gives what `use` makes of it before it opens. */
  async ssh<Used>(use: (socket: WebSocket) => Used): Promise<Used> {
    return this.#connection.webSocket(`${this.#path}/ssh`, {}, use);
  }

  async impairment(interfaceName: string): Promise<Impairment> {
    return asImpairment(await this.#connection.json('GET', `${this.#interface(interfaceName)}/impairment`));
  }

  /** In place of what was there; gives what the kernel made of it. */
  async impair(interfaceName: string, impairment: ImpairmentRequest): Promise<Impairment> {
    const path = `${this.#interface(interfaceName)}/impairment`;
    return asImpairment(await this.#connection.json('PUT', path, { body: impairment }));
  }

  async mend(interfaceName: string): Promise<void> {
    await this.#connection.send('DELETE', `${this.#interface(interfaceName)}/impairment`);
  }

  #interface(name: string): string {
    return `${this.#path}/interfaces/${encodeURIComponent(name)}`;
  }
}
