/** `lab configuration`: what a node of a lab on another machine is configured with now. */
import type { Command } from 'commander';
import { pipeline } from 'node:stream/promises';
import { Readable } from 'node:stream';
import { ConnectionError } from '../../client/service-error.ts';
import { withoutSequences } from '../../lib/text/escape-stripper.ts';
import { endWith } from './ending.ts';
import { clientFor, withServerOptions } from './server.ts';

export function addConfigurationCommand(program: Command): void {
  withServerOptions(
    program
      .command('configuration')
      .description('print the running configuration of a node of a lab on a lab-api server'),
  )
    .argument('<lab>', 'id of the lab (see lab labs)')
    .argument('<node>')
    .action(async (lab: string, node: string, _options: unknown, command: Command) =>
      endWith(command, async () => {
        const { body } = await (await clientFor(command)).node(lab, node).configuration();
        if (!body) return;
        const pieces: AsyncIterable<Uint8Array> = Readable.fromWeb(body);
        try {
          // A file gets the bytes; a terminal nothing that it would obey.
          const shown = process.stdout.isTTY ? withoutSequences(pieces) : pieces;
          await pipeline(shown, process.stdout, { end: false });
        } catch (error) {
          throw new ConnectionError('the connection was lost before the end of the configuration', {
            cause: error,
          });
        }
      }),
    );
}
