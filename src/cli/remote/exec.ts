/** `lab exec --server URL LAB NODE -- COMMAND`: a command in a node of a lab on another machine. */
import { Command, Option } from 'commander';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { ExecEndEvent, ExecRequest } from '../../client/api-types.ts';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { ServiceError } from '../../client/service-error.ts';
import { parseDuration } from '../../lib/text/duration.ts';
import { EscapeStripper } from '../../lib/text/escape-stripper.ts';
import { splitNames } from '../../lib/text/name-ranges.ts';
import { complain, endWith } from './ending.ts';
import { choosesMany, runInNodes, timeoutCode } from './exec-in-nodes.ts';
import { clientFor, UsageError, withServerOptions } from './server.ts';
import { harmless } from './tables.ts';

interface Options {
  readonly timeout?: string;
  readonly stdin?: boolean;
  readonly raw?: boolean;
  readonly output: 'text' | 'json';
}

function secondsOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = parseDuration(given);
  if (ms === undefined) throw new UsageError(`--timeout: "${given}" is not a duration: write 90s or 5m`);
  return ms / 1_000;
}

function exitCodeOf({ exitCode, reason }: ExecEndEvent): number {
  if (exitCode !== null) return exitCode;
  complain(
    reason === 'timeout'
      ? 'the command was killed because of its timeout'
      : 'the command was ended because the service is stopping',
  );
  return reason === 'timeout' ? timeoutCode : 1;
}

/** On this machine, a node comes first, so users leave the lab out. */
function missingLab(words: readonly string[]): string {
  const given = words.map(harmless).join(' ');
  return `a lab comes before the node, and "lab labs" lists them; if the lab is missing: lab exec LAB ${given}`;
}

interface Wanted extends Options {
  readonly lab: string;
  readonly node: string;
  readonly words: readonly [string, ...string[]];
  /** A `--` behind two words: the lab is not what is missing. */
  readonly isWhole: boolean;
}

interface Target extends Pick<Wanted, 'lab' | 'node' | 'raw'> {
  readonly client: LabApiClient;
  readonly signal: AbortSignal;
}

async function runInNode(
  { client, lab, node, signal, raw = false }: Target,
  request: ExecRequest,
): Promise<number> {
  // A file gets the bytes; a terminal nothing that it would obey.
  const stripper = process.stdout.isTTY && !raw ? new EscapeStripper() : undefined;
  for await (const news of client.node(lab, node).run(request, { signal })) {
    if (news.kind === 'end') return exitCodeOf(news.end);
    const bytes = stripper?.strip(Buffer.from(news.bytes)) ?? news.bytes;
    if (!process.stdout.write(bytes)) await once(process.stdout, 'drain');
  }
  return 1;
}

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof ServiceError && error.code === code;

/** In the node of that name; if there is none, in the nodes of the group of that name. */
async function runInNodeOrGroup(
  target: Target,
  request: ExecRequest,
  runInMany: () => Promise<number>,
): Promise<number> {
  try {
    return await runInNode(target, request);
  } catch (error) {
    if (!hasCode(error, 'node-not-found')) throw error;
    return runInMany().catch((ofGroup: unknown) => {
      // An older service knows no groups; any other service names nodes and groups.
      throw hasCode(ofGroup, 'not-found') || hasCode(ofGroup, 'invalid-request') ? error : ofGroup;
    });
  }
}

async function run({ lab, node, words, isWhole, ...options }: Wanted, command: Command): Promise<number> {
  const timeoutSeconds = secondsOf(options.timeout);
  const client = await clientFor(command);
  const request = {
    command: [...words] as [string, ...string[]],
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(options.stdin && { stdin: await text(process.stdin) }),
  };
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const target = { client, lab, node, signal: stop.signal, raw: options.raw === true };
  const isJson = options.output === 'json';
  const runInMany = async (): Promise<number> => {
    const [first = '', ...more] = splitNames(node);
    return runInNodes({ ...target, request: { ...request, nodes: [first, ...more] }, isJson });
  };
  try {
    if (isJson || choosesMany(node)) return await runInMany();
    return await runInNodeOrGroup(target, request, runInMany);
  } catch (error) {
    // The exit code of a program that Ctrl-C ended; the service ends the command because the client is gone.
    if (stop.signal.aborted) return 130;
    if (hasCode(error, 'instance-not-found') && !isWhole) complain(missingLab([lab, node, ...words]));
    throw error;
  }
}

/** A command of its own: on this machine, all that follows `lab exec` is for the bundled engine. */
export async function execOnServer(args: readonly string[], globals: readonly string[]): Promise<void> {
  const command = withServerOptions(new Command('lab exec'))
    .usage('[options] <lab> <node> [--] <command...>')
    .argument(
      '[words...]',
      "id of the lab (see lab labs); node, or nodes: 'r*', r1,r2, a group, all; command",
    )
    .option('--timeout <duration>', 'maximum run time; default: 60s')
    .option('--stdin', 'read standard input to its end, and pass it to the command')
    .option('--raw', 'keep the escape sequences of the command, also on a terminal')
    .addOption(
      new Option('-o, --output <form>', 'output format; with json, answers as the API gives them')
        .choices(['text', 'json'])
        .default('text'),
    )
    .passThroughOptions()
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : 2))
    .action(async (all: string[], options: Options) =>
      endWith(command, async () => {
        const [lab, node, ...given] = all;
        const isWhole = given[0] === '--';
        const [program, ...words] = isWhole ? given.slice(1) : given;
        if (lab === undefined || node === undefined)
          throw new UsageError('give a lab, a node and a command: lab exec LAB NODE COMMAND');
        if (program === undefined) throw new UsageError(`there is no command: ${missingLab([lab, node])}`);
        if (program.startsWith('-'))
          throw new UsageError(`"${harmless(program)}" is no command: ${missingLab([lab, node, ...given])}`);
        return run({ ...options, lab, node, words: [program, ...words], isWhole }, command);
      }),
    );
  await command.parseAsync([...globals, ...args], { from: 'user' });
}
