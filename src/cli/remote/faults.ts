/** `lab fault list`, `set` and `heal`: links and nodes of a lab that are broken on purpose. */
import type { Command } from 'commander';
import type { Fault, ImpairmentRequest, Link } from '../../client/api-types.ts';
import type { FaultsClient } from '../../client/faults-client.ts';
import { linkFaultKinds, nodeFaultKinds, type FaultKind } from '../../labs/model/fault.ts';
import { parseDuration } from '../../lib/text/duration.ts';
import { endWith } from './ending.ts';
import { printJson, withOutput } from './jobs.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { asColumns, harmless } from './tables.ts';

type NodeKind = (typeof nodeFaultKinds)[number];

interface SetOptions {
  readonly node?: string;
  readonly process?: string;
  readonly for?: string;
  readonly delay?: string;
  readonly jitter?: string;
  readonly loss?: string;
  readonly rate?: string;
}

function msOf(flag: string, given: string): number {
  const ms = parseDuration(given);
  if (ms === undefined) throw new UsageError(`--${flag}: "${given}" is not a duration: write 90s or 50ms`);
  return ms;
}

function numberOf(flag: string, given: string): number {
  if (/^\d+(\.\d+)?$/.test(given)) return Number(given);
  throw new UsageError(`--${flag}: "${given}" is not a number`);
}

function impairmentOf({ delay, jitter, loss, rate }: SetOptions): ImpairmentRequest {
  return {
    ...(delay !== undefined && { delayMs: msOf('delay', delay) }),
    ...(jitter !== undefined && { jitterMs: msOf('jitter', jitter) }),
    ...(loss !== undefined && { lossPercent: numberOf('loss', loss) }),
    ...(rate !== undefined && { rateKbps: numberOf('rate', rate) }),
  };
}

const isOfNodes = (kind: FaultKind): kind is NodeKind => (nodeFaultKinds as readonly string[]).includes(kind);

async function setFault(
  faults: FaultsClient,
  [kind, target]: readonly [FaultKind, string],
  options: SetOptions,
): Promise<Fault> {
  const time = options.for === undefined ? {} : { ttlSeconds: msOf('for', options.for) / 1_000 };
  const { node, process } = options;
  if (isOfNodes(kind)) {
    if (node !== undefined)
      throw new UsageError(`--node goes with the fault of a link: "${kind}" takes the node as its target`);
    return faults.breakNode(target, { kind, ...time, ...(process !== undefined && { process }) });
  }
  const impairment = impairmentOf(options);
  const isImpaired = Object.keys(impairment).length > 0;
  if (kind === 'impaired' && !isImpaired)
    throw new UsageError('"impaired" needs one or more of --delay, --jitter, --loss and --rate');
  if (kind !== 'impaired' && isImpaired)
    throw new UsageError('--delay, --jitter, --loss and --rate go with the kind "impaired" only');
  const more = { ...(node !== undefined && { node }), ...(isImpaired && { impairment }) };
  return faults.breakLink(target, { kind, ...time, ...more });
}

const targetOf = ({ link, node }: Fault): string =>
  link === null ? `node ${node}` : `link ${link}${node === null ? '' : ` at ${node}`}`;

const whatOf = ({ kind, process }: Fault): string => (process === null ? kind : `${process} ${kind}`);

function rowOf(fault: Fault): string[] {
  const { user, expiresAt } = fault;
  return [targetOf(fault), whatOf(fault), user ?? '', expiresAt ?? 'healed by hand'].map(harmless);
}

interface HealOptions {
  readonly link?: string;
  readonly node?: string;
}

/** Heals, and says of each fault that is gone then what it was. */
async function heal(faults: FaultsClient, { link, node }: HealOptions): Promise<void> {
  if (link !== undefined && node !== undefined) throw new UsageError('give --link or --node, not both');
  const before = await faults.list();
  if (link !== undefined) await faults.healLink(link);
  else if (node !== undefined) await faults.healNode(node);
  else await faults.healAll();
  const left = new Set((await faults.list()).map(targetOf));
  const healed = before.filter((fault) => !left.has(targetOf(fault)));
  const lines = healed.map(
    (fault) => `${harmless(targetOf(fault))} healed: it was ${harmless(whatOf(fault))}\n`,
  );
  process.stdout.write(lines.length === 0 ? 'there was nothing to heal\n' : lines.join(''));
}

async function faultsTable(faults: readonly Fault[]): Promise<string> {
  return asColumns(['WHERE', 'FAULT', 'USER', 'UNTIL'], faults.map(rowOf));
}

async function linksTable(links: readonly Link[]): Promise<string> {
  const rows = links.map(({ id, ends, state }) => [
    harmless(id),
    harmless(ends.map((end) => `${end.node}:${end.interface}`).join(' ')),
    harmless(state),
  ]);
  return asColumns(['LINK', 'ENDS', 'STATE'], rows);
}

interface Output {
  readonly output: 'table' | 'json';
}

type SetWords = [lab: string, kind: string, target: string, options: SetOptions & Output, command: Command];

const kinds = [...linkFaultKinds, ...nodeFaultKinds];

function kindOf(given: string): FaultKind {
  const known = kinds.find((one) => one === given);
  if (known !== undefined) return known;
  throw new UsageError(`"${harmless(given)}" is no kind of fault: ${kinds.join(', ')}`);
}

export function addFaultCommands(program: Command): void {
  const fault = program
    .command('fault')
    .description('break links and nodes of a lab on a lab-api server, and heal them');
  withOutput(withServerOptions(fault.command('list').description('list the links of a lab, and its faults')))
    .argument('<lab>', 'id of the lab (see lab labs)')
    .action(async (lab: string, { output }: Output, command: Command) =>
      endWith(command, async () => {
        const client = (await clientFor(command)).faults(lab);
        const [links, faults] = await Promise.all([client.links(), client.list()]);
        if (output === 'json') return printJson({ links, faults });
        process.stdout.write(await linksTable(links));
        if (faults.length > 0) process.stdout.write(`\n${await faultsTable(faults)}`);
      }),
    );
  withOutput(withServerOptions(fault.command('set').description('break a link or a node')))
    .argument('<lab>', 'id of the lab (see lab labs)')
    .argument('<kind>', kinds.join(', '))
    .argument('<target>', 'the link, as its id or r1-r2, or the node')
    .option('--for <duration>', 'the service heals it after that time; default: when a user does')
    .option('--node <name>', 'of a link: cut off this node only')
    .option('--process <name>', 'killed: the process, such as bgpd')
    .option('--delay <duration>', 'impaired: how late packets are')
    .option('--jitter <duration>', 'impaired: how much that varies')
    .option('--loss <percent>', 'impaired: how many packets are lost')
    .option('--rate <kbps>', 'impaired: how many thousand bits pass in a second')
    .action(async (...[lab, kind, target, options, command]: SetWords) =>
      endWith(command, async () => {
        const set = await setFault((await clientFor(command)).faults(lab), [kindOf(kind), target], options);
        if (options.output === 'json') printJson(set);
        else process.stdout.write(await faultsTable([set]));
      }),
    );
  withServerOptions(
    fault.command('heal').description('heal links and nodes; all of the lab unless one is named'),
  )
    .argument('<lab>', 'id of the lab (see lab labs)')
    .option('--link <link>', 'heal this link only')
    .option('--node <node>', 'heal this node only')
    .action(async (lab: string, options: HealOptions, command: Command) =>
      endWith(command, async () => heal((await clientFor(command)).faults(lab), options)),
    );
}
