/** `lab share`: the users and groups with whom a lab, a workspace or a snapshot of a server is shared. */
import type { Command } from 'commander';
import type { Share } from '../../client/api-types.ts';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import type { SharesClient } from '../../client/shares-client.ts';
import { endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { hostWords } from './snapshots.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

const rights = ['viewer', 'operator'] as const satisfies readonly Share['as'][];

interface ShareOptions {
  readonly workspace?: boolean;
  readonly snapshot?: boolean;
  readonly host?: string;
  readonly none?: boolean;
  readonly output: 'table' | 'json';
}

/** `sam`, `sam:operator` or `@course:viewer`. */
function shareOf(text: string): Share {
  const [given = '', right = 'viewer', ...rest] = text.split(':');
  const as = rights.find((one) => one === right);
  const name = given.replace(/^@/, '');
  if (as === undefined || rest.length > 0 || name === '')
    throw new UsageError(
      `"${text}" is no user or group: write USER or @GROUP, and ":operator" behind it if they may change things`,
    );
  return { kind: given.startsWith('@') ? 'group' : 'user', name, as };
}

function sharesOf(
  client: LabApiClient,
  what: string,
  { workspace = false, snapshot = false, host }: ShareOptions,
): SharesClient {
  if (workspace && snapshot) throw new UsageError('name a workspace or a snapshot, not both');
  if (host !== undefined && !snapshot)
    throw new UsageError('--host is for snapshots: a lab or a workspace is found without it');
  if (snapshot) return client.snapshots.shares(what, { host });
  return workspace ? client.workspaces.shares(what) : client.shares(what);
}

export function addShareCommand(program: Command): void {
  withOutput(
    withServerOptions(
      program
        .command('share')
        .description(
          'share a lab on a lab-api server with these users alone; without users, list with whom it is shared',
        ),
    ),
  )
    .argument('<lab>', 'id of the lab (see lab labs); with --workspace or --snapshot, the name of one')
    .argument('[with...]', 'USER or @GROUP, to read; USER:operator or @GROUP:operator, to change things too')
    .option('--workspace', 'share a workspace, with its files, its jobs and its lab')
    .option('--snapshot', 'share a snapshot: to download it, to compare with it and to start it')
    .option('--host <host>', hostWords)
    .option('--none', 'end all shares')
    .action(async (what: string, words: readonly string[], options: ShareOptions, command: Command) =>
      endWith(command, async () => {
        const { none = false, output } = options;
        if (none && words.length > 0) throw new UsageError('--none ends all shares: leave out the users');
        const wanted = words.map(shareOf);
        const client = await clientFor(command);
        const shares = sharesOf(client, what, options);
        const isRead = wanted.length === 0 && !none;
        const now = isRead ? await shares.list() : await shares.replace(wanted);
        if (output === 'json') return printJson({ shares: now });
        const rows = now.map(({ kind, name, as }) => [kind, name, as].map(harmless));
        process.stdout.write(await asColumns(['KIND', 'NAME', 'AS'], rows));
      }),
    );
}
