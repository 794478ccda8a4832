/** The tools on standard input and output, for an assistant that starts `lab mcp` itself. */
import { once } from 'node:events';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';
import { deferred } from '../lib/async/deferred.ts';
import { createMcpServer, type McpSettings } from './mcp-server.ts';

/** Knows whether the client still waits for an answer. */
class AnsweringTransport extends StdioServerTransport {
  readonly #waiting = new Set<RequestId>();
  readonly #answered = deferred<void>();
  #isEnding = false;

  /** Before the server is connected: that keeps it, and calls it first. */
  override onmessage = (message: JSONRPCMessage): void => {
    if (!('method' in message)) return;
    if ('id' in message) this.#waiting.add(message.id);
    // A call that is canceled is never answered.
    else if (message.method === 'notifications/cancelled') this.#note(message.params?.['requestId']);
  };

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if (!('method' in message)) this.#note(message.id);
  }

  /** Resolves when no call is under way; to be called when no more can come. */
  async settled(): Promise<void> {
    this.#isEnding = true;
    this.#note(undefined);
    await this.#answered.promise;
  }

  #note(id: unknown): void {
    this.#waiting.delete(id as RequestId);
    if (this.#isEnding && this.#waiting.size === 0) this.#answered.resolve();
  }
}

/** Resolves when the assistant has closed its end, and the calls that it made before are answered. */
export async function serveStdio(settings: McpSettings): Promise<void> {
  const server = createMcpServer(settings);
  const transport = new AnsweringTransport();
  // The SDK does not look for the end of the input, and this process would stay for ever.
  const end = Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
  await server.connect(transport);
  await end;
  await transport.settled();
  await server.close();
}
