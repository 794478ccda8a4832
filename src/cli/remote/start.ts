/** `lab start`: submits a job to a service, and stays with it when asked to. */
import { type Command, Option } from 'commander';
import { createInterface } from 'node:readline/promises';
import type { Job } from '../../client/api-types.ts';
import { hasEnded, type LabApiClient } from '../../client/lab-api-client.ts';
import { actions } from '../../labs/model/actions.ts';
import { cliOptions, optionNames, type OptionName } from '../../labs/model/option-kinds.ts';
import { complain, endWith, lossTeller, tellKept } from './ending.ts';
import { collect, printJson, told, withOutput } from './jobs.ts';
import { printLog } from './logs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { flagOf, requestOf, typedName, type StartOptions } from './start-request.ts';
import { harmless } from './tables.ts';

/** Of a job that was canceled, or that Ctrl-C left to itself: 128 and the number of SIGINT, as shells say it. */
const interruptedCode = 130;

/** The description in the API as help text, without the flag of the lab CLI and the limits. */
function helpOf(name: OptionName): string {
  const [text = ''] = cliOptions[name].description.split(/ \(`--|\.$/);
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`.replaceAll('`', '');
}

/** The option of the command line for an option of the lab CLI. */
function commandOption(name: OptionName): Option {
  const flag = flagOf(name);
  const help = helpOf(name);
  switch (cliOptions[name].kind) {
    case 'flag':
      // commander takes --no-x for the opposite of --x, and would keep it under another name.
      return Object.assign(new Option(flag, help), { negate: false, attributeName: () => typedName(name) });
    case 'list':
      return new Option(`${flag} <value>`, `${help}; may be repeated`).argParser(collect);
    case 'settings':
      return new Option(`${flag} <name=value>`, `${help}; may be repeated`).argParser(collect);
    case 'number':
      return new Option(`${flag} <number>`, help);
    case 'multilab':
      return new Option(`${flag} <number|auto>`, help);
    case 'command':
      return new Option(`${flag} <word>`, `${help}; may be repeated`).argParser(collect);
    case 'value':
    case 'file':
    case 'template':
    case 'file-below-workdir':
    case 'directory':
      return new Option(`${flag} <value>`, help);
  }
}

/** The exit code of the job's program; where it has none that says so, still not 0 unless the job is a success. */
export function exitCodeOf({ state, exitCode }: Job): number {
  if (state === 'success') return 0;
  if (state === 'canceled' || !hasEnded(state)) return interruptedCode;
  // Of a greater number, the system would keep the last eight bits, and they may be 0.
  const isCode = exitCode !== null && Number.isInteger(exitCode) && exitCode > 0 && exitCode < 256;
  return isCode ? exitCode : 1;
}

/** Asks on a terminal; where there is none to ask, a Ctrl-C is meant for the job too. */
async function wantsCancel(id: string): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return true;
  const question = createInterface({ input: process.stdin, output: process.stderr });
  const unanswered = new AbortController();
  // A second Ctrl-C ends the command without canceling the job. After Ctrl-D no answer can come.
  question.once('SIGINT', () => unanswered.abort());
  question.once('close', () => unanswered.abort());
  try {
    const answer = await question.question(`\nCancel ${id} too? Otherwise it continues. [y/N] `, unanswered);
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    return false;
  } finally {
    question.close();
  }
}

/** Stays with the job until it ends, or until Ctrl-C. */
export async function stayWith(client: LabApiClient, job: Job, follow: boolean): Promise<Job> {
  const interrupted = new AbortController();
  const stopListening = (): void => {
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  };
  // Once: the next one of either ends this command, whatever it waits for.
  const onSignal = (): void => {
    stopListening();
    interrupted.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const { signal } = interrupted;
  const { onLost } = lossTeller();
  try {
    if (follow) await printLog(client, job.id, { plain: true, signal });
    return await client.waitForJob(job.id, { signal, onLost });
  } catch (error) {
    if (!signal.aborted) throw error;
    if (!(await wantsCancel(job.id))) return await client.getJob(job.id);
    complain(`canceling ${job.id}`);
    await client.cancelJob(job.id).then(tellKept, () => undefined);
    return await client.waitForJob(job.id);
  } finally {
    stopListening();
  }
}

async function start(action: string | undefined, options: StartOptions, command: Command): Promise<number> {
  const client = await clientFor(command);
  const { idempotencyKey: key, follow = false, output } = options;
  const accepted = await client.startJob(requestOf(action, options), {
    ...(key !== undefined && { idempotencyKey: key }),
    onLost: lossTeller().onLost,
  });
  for (const warning of accepted.warnings) complain(warning);
  if (follow || options.wait) {
    if (output === 'table') complain(accepted.id);
    const job = await stayWith(client, accepted, follow);
    // The log, which is on standard output, has to stay what the lab CLI printed.
    if (output === 'json' && !follow) printJson(job);
    else process.stderr.write(`lab: ${told(job)}`);
    return exitCodeOf(job);
  }
  if (output === 'json') printJson(accepted);
  else process.stdout.write(`${harmless(accepted.id)}\n`);
  return 0;
}

/** Where and with which topology the job runs. */
function withPlaceOptions(command: Command): Command {
  return command
    .optionsGroup('The place and the topology:')
    .option('--workdir <directory>', 'directory on the lab server in which the job runs')
    .option('--workspace <name>', 'workspace in which the job runs (see lab push); auto: a new workspace')
    .option('--topology <file>', 'topology file on this machine, sent with the request; - for standard input')
    .option('--topology-path <file>', 'topology file on the lab server')
    .option('--topology-url <url>', 'topology that the lab server downloads')
    .option('--replace', 'with up: take down the lab that is in the directory first')
    .option(
      '--git <url>',
      'Git repository whose files the lab server puts into the workspace; see docs/git.md',
    )
    .option('--ref <ref>', 'with --git: branch, tag, whole commit id or pull/12')
    .option('--path <directory>', 'with --git: directory of the repository that has the files')
    .option('--cli <name>', 'the lab CLI that runs the job, if the server has several')
    .option('--host <host>', 'in a cluster: name or id of the host that runs the job')
    .option('--host-label <label>', 'in a cluster: only hosts with this label; may be repeated', collect);
}

/** When the job and its lab end, and what then. */
function withCourseOptions(command: Command): Command {
  return (
    command
      .optionsGroup('The course of the job:')
      .option('--timeout <duration>', 'end the job after this time: 90s, 5m, 4h, or plain seconds')
      // The name in the API.
      .addOption(new Option('--timeout-seconds <duration>').hideHelp())
      .option('--wait-ready <duration>', 'then wait until all nodes of the lab are ready, at most this long')
      .addOption(new Option('--wait-ready-seconds <duration>').hideHelp())
      .option('--ttl <duration>', 'stop the lab when it has been up for this time: 90s, 5m, 4h')
      // The name in the API.
      .addOption(new Option('--ttl-seconds <duration>').hideHelp())
      .option('--on-conflict <what>', 'if the directory is busy: queue or reject')
      .option('--on-cancel <what>', 'what to do with the lab if the job is canceled: down or keep')
      .option('--on-failure <what>', 'what to do with the lab if the job fails: down or keep')
      .option('--callback-url <url>', 'URL that receives a message for each state of the job')
  );
}

export function addStartCommand(program: Command): void {
  const command = program
    .command('start')
    .description('start a job on a lab-api server')
    .argument('[action]', `${actions.join(', ')}; optional if --json contains it; up with --git`)
    .option('-f, --follow', 'print the log until the job ends; exit with the code of the job')
    .option('-w, --wait', 'wait until the job ends; exit with the code of the job')
    .option('--label <name=value>', 'label of the job; may be repeated', collect)
    .option('--idempotency-key <key>', 'a second request with the same key does not start a second job')
    .option('--json <file>', 'the request as JSON, to which options are added; - for standard input');
  withCourseOptions(withPlaceOptions(withOutput(command)));
  withServerOptions(command.optionsGroup('The server:'));
  command.optionsGroup('Options of the lab CLI:');
  for (const name of optionNames) command.addOption(commandOption(name));
  command.action(async (action: string | undefined, options: StartOptions, self: Command) =>
    endWith(self, async () => start(action, options, self)),
  );
}
