/** `lab search`: finds addresses, prefixes, AS numbers, modules, devices and names in the labs of a server. */
import type { Command } from 'commander';
import type { SearchMatch } from '../../client/api-types.ts';
import { complain, endWith } from './ending.ts';
import { limitOf, printJson, tellUnanswered, withOutput } from './jobs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

interface SearchOptions {
  readonly output: 'table' | 'json';
  readonly limit: string;
}

/** The node, or of a link its ends. */
function placeOf({ node, interface: name, endpoints }: SearchMatch): string {
  // The reply may come from another kind of server, and have anything in it.
  const ends: readonly (Partial<Record<'node' | 'interface', unknown>> | null)[] = [
    { node, interface: name },
    ...endpoints,
  ];
  const places = ends.map((end) => `${harmless(end?.node ?? '')} ${harmless(end?.interface ?? '')}`.trim());
  return places.filter((place) => place !== '').join(', ');
}

function rowOf(found: SearchMatch): string[] {
  const { match, lab, thing, value } = found;
  return [match, value, thing, lab, placeOf(found)].map(harmless);
}

async function search(text: string, { output, limit }: SearchOptions, command: Command): Promise<void> {
  const client = await clientFor(command);
  const result = await client.search(text, { limit: limitOf(limit) });
  const { matches, truncated, incomplete } = result;
  if (output === 'json') printJson(result);
  else if (matches.length > 0)
    process.stdout.write(await asColumns(['MATCH', 'VALUE', 'WHAT', 'LAB', 'WHERE'], matches.map(rowOf)));
  else complain('nothing was found');
  if (truncated) complain(`there are more than these ${matches.length}: --limit shows up to 1000`);
  for (const { lab, reason } of incomplete) complain(`the topology of ${lab} was not searched: ${reason}`);
  tellUnanswered({ ...result }, 'matches');
}

export function addSearchCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program
        .command('search')
        .description('find an address, prefix, AS, module, device or name in the labs on a lab-api server'),
    ),
  )
    .argument('<query>', '10.1.0.5, 10.1.0.0/16, as:65001, module:ospf, device:frr, or a part of a name')
    .option('--limit <number>', 'the greatest number of matches, at most 1000', '100')
    .action(async (text: string, options: SearchOptions, command: Command) =>
      endWith(command, async () => search(text, options, command)),
    );
}
