/** The tools on standard input and output, for an assistant that starts `lab mcp` itself. */
import { once } from 'node:events';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createMcpServer, type McpSettings } from './mcp-server.ts';

/** Resolves when the assistant has closed its end. */
export async function serveStdio(settings: McpSettings): Promise<void> {
  const server = createMcpServer(settings);
  // The SDK does not look for the end of the input, and this process would stay for ever.
  const end = Promise.race([once(process.stdin, 'end'), once(process.stdin, 'close')]);
  await server.connect(new StdioServerTransport());
  await end;
  await server.close();
}
