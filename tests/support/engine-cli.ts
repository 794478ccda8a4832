/** Runs the built engine as people and jobs do, and looks in the kernel for what it left. */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Lab } from '../../src/engine/core/lab.ts';
import { privileges } from '../../src/engine/system/privileges.ts';
import { requirement } from './requirements.ts';

const program = path.resolve('dist/engine/main.js');

interface CommandResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

function missingPrograms(): string | undefined {
  const programs = ['ip', 'nsenter', 'unshare', 'flock', 'ping'].map((name) => requirement(name).missing);
  return programs.find((reason) => reason !== undefined);
}

/** Why labs cannot be made right on this machine; undefined when they can. Put it into the names of skipped tests. */
export function missingForLabs(): string | undefined {
  const { missing } = privileges('/run');
  return missingPrograms() ?? (missing === '' ? undefined : `needs ${missing}`);
}

/** Why user namespaces with networks in them cannot be made by whoever `prefix` makes us; undefined when they can. */
export function missingForUserNamespaces(prefix: readonly string[] = []): string | undefined {
  const [file, ...args] = [...prefix, 'unshare', '--user', '--map-root-user', '--net', '--mount', 'true'];
  try {
    execFileSync(file, args, { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'user namespaces are not allowed';
  }
}

/** Like `missingForLabs`, but labs in a user namespace will do: for tests that do not look for them in `/run/netns`. */
export function missingForAnyLabs(): string | undefined {
  const why = missingForLabs();
  if (why === undefined || missingPrograms() !== undefined) return why;
  const whyNot = missingForUserNamespaces();
  return whyNot && `${why}, and ${whyNot}`;
}

/** A name for a lab instance that no other run of the tests uses. */
export function uniqueInstance(label: string): string {
  return `${label}${process.pid}x${Math.floor(Math.random() * 1e6)}`;
}

const givenNumbers = new Set<number>();

/** An instance for `multilab`, which counts to 200: one that no lab on this machine has, and that was not given before. */
export function freeInstanceNumber(): number {
  const numbers = Array.from({ length: 170 }, (_, index) => index + 1);
  const free = numbers.filter((id) => !givenNumbers.has(id) && !existsSync(`/run/lab-engine/${id}`));
  const number = free[Math.floor(Math.random() * free.length)]!;
  givenNumbers.add(number);
  return number;
}

export interface Place {
  readonly home: string;
  readonly directory: string;
}

/** A state directory, and a directory with the lab's snapshot. */
export function placeFor(root: string, made: Lab, name = made.instance): Place {
  const directory = path.join(root, name);
  mkdirSync(directory, { recursive: true });
  writeFileSync(path.join(directory, 'lab.snapshot.json'), JSON.stringify(made));
  return { home: path.join(root, 'home'), directory };
}

const environment = ({ home }: Place): NodeJS.ProcessEnv => ({ ...process.env, LAB_HOME: home });

/** Runs `lab …` to its end; `prefix` is a command that starts it, with other rights, say. */
export async function lab(
  place: Place,
  args: readonly string[],
  prefix: readonly string[] = [],
): Promise<CommandResult> {
  const [file, ...rest] = [...prefix, process.execPath, program, ...args];
  return new Promise((resolve) => {
    const options = { cwd: place.directory, env: environment(place), maxBuffer: 1e9 };
    execFile(file!, rest, options, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}

/** Starts `lab …` and comes back at once. */
export function startLab(
  place: Place,
  args: readonly string[],
  prefix: readonly string[] = [],
): ChildProcess {
  const options = { cwd: place.directory, env: environment(place) };
  const [file, ...rest] = [...prefix, process.execPath, program, ...args];
  return spawn(file!, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
}

/** Everything that the machine and the state still have of the instance. */
export function leftovers({ home }: Place, instance: string): string[] {
  const names = existsSync('/run/netns') ? readdirSync('/run/netns') : [];
  const claims = existsSync('/run/lab-engine') ? readdirSync('/run/lab-engine') : [];
  const stateFile = path.join(home, 'status.json');
  const state = existsSync(stateFile) ? Object.keys(JSON.parse(readFileSync(stateFile, 'utf8'))) : [];
  const records = existsSync(path.join(home, 'labs')) ? readdirSync(path.join(home, 'labs')) : [];
  return [
    ...names.filter((name) => name.startsWith(`lab-${instance}-`)),
    ...claims
      .filter((name) => name === instance || name.startsWith(`.${instance}-`))
      .map((name) => `claim ${name}`),
    ...state.filter((name) => name === instance).map((name) => `state ${name}`),
    ...records.filter((name) => name.startsWith(`${instance}.json`)).map((name) => `record ${name}`),
  ];
}

/** Those pairs of nodes of which the first cannot ping the second by its name; `lab exec` goes from node to node. */
export async function unreachable(
  place: Place,
  names: readonly string[],
  ...options: string[]
): Promise<string[]> {
  const ping = ['ping', '-n', '-c1', '-W2', ...options].join(' ');
  const script = `for to in ${names.join(' ')}; do ${ping} $to >/dev/null || echo "unreachable $(hostname) $to"; done`;
  const { exitCode, stdout, stderr } = await lab(place, ['exec', names.join(','), '--', 'sh', '-c', script]);
  const ended = names.filter((name) => !stdout.includes(`\n${name}: exit code 0\n`));
  return [
    ...[...stdout.matchAll(/^unreachable (.*)$/gm)].map(([, pair = '']) => pair),
    ...ended.map((name) => `${name}: not asked`),
    ...(exitCode === 0 ? [] : [`exit code ${exitCode}`]),
    ...stderr.split('\n').filter((line) => line !== ''),
  ];
}
