/** `lab mcp`: the tools for AI assistants, for one that starts this program and speaks with it on standard input and output. */
import type { Command } from 'commander';
import { messageOf } from '../../lib/app-error.ts';
import { complain, endWith, remedyOf } from './ending.ts';
import { clientFor, withServerOptions } from './server.ts';

export function addMcpCommand(program: Command, version: string): void {
  const description = 'serve the labs of a lab-api server to an AI assistant (Model Context Protocol, stdio)';
  withServerOptions(program.command('mcp').description(description)).action(
    async (_options: object, command: Command) =>
      endWith(command, async () => {
        const client = await clientFor(command);
        // Not before: no other command needs it, and it takes longer to load than the rest.
        const { serveStdio } = await import('../../mcp/serve-stdio.ts');
        await serveStdio({
          client,
          version,
          remedyOf,
          onFault: (tool, error) => complain(`${tool}: ${messageOf(error)}`),
        });
      }),
  );
}
