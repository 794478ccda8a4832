import { afterAll } from '@jest/globals';
import { once } from 'node:events';
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { RequestHandler } from 'express';
import { RunningSettings } from '../../src/config/running-settings.ts';
import type { Flags } from '../../src/config/settings.ts';
import { Client } from './client.ts';
import { assertDeclared } from './declared-replies.ts';
import { processesWith } from './environments.ts';
import { eventually } from './eventually.ts';
import type { RequestOptions } from './http-client.ts';
import { MemoryLogger } from './memory-logger.ts';
import { openGate } from './open-gate.ts';
import { fixtureProgram } from './programs.ts';

type Variables = Readonly<Record<string, string | undefined>>;

const repository = path.resolve(__dirname, '../..');
/** The built program; Jest's global setup makes it. */
export const builtProgram = path.join(repository, 'dist', 'main.js');

/** Directories of one service (or of several, one after the other), and the state of its fake lab CLI. */
export interface Ground {
  readonly root: string;
  readonly dataDir: string;
  /** A directory for labs; `makeWorkdir` makes further ones. */
  readonly workdir: string;
  /** The variables that make a service stay within `root`. */
  readonly env: Record<string, string>;
  makeWorkdir: (name: string) => string;
  /** Lets every `wait_for name` of the fake lab CLI go on. */
  let: (name: string) => void;
  /** Resolves when the fake lab CLI has come to `wait_for name`. */
  waitsFor: (name: string) => Promise<void>;
  /** What the fake lab CLI does before it answers a status; empty for nothing. */
  onStatus: (script: string) => void;
  /** Shell commands that it runs in a restart, while the lab is not on record. */
  onRestart: (script: string) => void;
  /** The arguments of the fake lab CLI's runs so far that begin like this. */
  runs: (beginning?: string) => string[];
}

const grounds: Ground[] = [];
const stops: (() => Promise<void>)[] = [];

/** Everything that a test started under this directory is ended, whatever the test forgot. */
async function killLeftovers({ root, env }: Ground): Promise<void> {
  for (const pid of processesWith(`FAKE_LAB_STATE=${env['FAKE_LAB_STATE']}`)) {
    if (pid !== process.pid) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone by itself meanwhile.
      }
    }
  }
  rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}

afterAll(async () => {
  await Promise.all(stops.map(async (stop) => stop()));
  await Promise.all(grounds.map(killLeftovers));
});

export function makeGround(): Ground {
  const root = realpathSync(mkdtempSync(path.join(os.tmpdir(), 'lab-api-test-')));
  const inside = (name: string): string => path.join(root, name);
  const state = inside('fake-lab-state');
  for (const name of ['home', 'labs', 'fake-lab-state']) mkdirSync(inside(name));
  const makeWorkdir = (name: string): string => {
    mkdirSync(path.join(inside('labs'), name));
    return path.join(inside('labs'), name);
  };
  const ground: Ground = {
    root,
    dataDir: inside('data'),
    workdir: makeWorkdir('demo'),
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: inside('home'),
      FAKE_LAB_STATE: state,
      LAB_API_LOG_LEVEL: 'error',
      LAB_API_CLI: fixtureProgram('fake-netlab'),
      LAB_API_DATA_DIR: inside('data'),
      LAB_API_PORT: '0',
      LAB_API_CANCEL_GRACE: '300ms',
      LAB_API_MIN_FREE_DISK: '1MiB',
      LAB_API_MAX_RUNNING_JOBS: '8',
    },
    makeWorkdir,
    let: (name) => openGate(state, name),
    waitsFor: async (name) =>
      void (await eventually(`the lab CLI waits for ${name}`, () =>
        readFileSync(path.join(state, `waits-for-${name}`), 'utf8') === '' ? true : undefined,
      )),
    onStatus: (script) => writeFileSync(path.join(state, 'status-hook'), script),
    onRestart: (script) => writeFileSync(path.join(state, 'restart-hook'), script),
    runs: (beginning = '') => {
      const lines = readFileSync(path.join(state, 'runs'), { encoding: 'utf8', flag: 'a+' }).split('\n');
      return lines.filter((line) => line !== '' && line.startsWith(beginning));
    },
  };
  grounds.push(ground);
  return ground;
}

/** A topology that makes the fake lab CLI run these shell commands first. */
export function topologyThat(...commands: readonly string[]): string {
  return ['name: demo', 'nodes: [r1, r2]', ...commands.map((command) => `# run: ${command}`), ''].join('\n');
}

export interface RunningService extends Client {
  readonly ground: Ground;
  stop: (options?: { cancelJobs: boolean }) => Promise<void>;
}

interface StartOptions {
  readonly ground?: Ground;
  readonly flags?: Flags;
  readonly env?: Variables;
  readonly client?: RequestOptions;
  /** What the service logs to, when a test wants to read it. */
  readonly log?: MemoryLogger;
  /** Who comes in, where nobody logs in. */
  readonly admit?: RequestHandler;
}

/** Starts the service in this process, with the fake lab CLI, on a free port. It is stopped after the test file, also if its start fails. */
export async function startService(options: StartOptions = {}): Promise<RunningService> {
  const ground = options.ground ?? makeGround();
  const env = { ...ground.env, ...options.env };
  // What it logs is not for whoever runs the tests: many of them break something on purpose.
  const { flags, log = new MemoryLogger(), admit } = options;
  // Loaded here: tests of the built program need none of it, and it takes half a second.
  const { loadClusterCode } = await import('../../src/service/join-cluster.ts');
  const { LabApiService } = await import('../../src/service/service.ts');
  const settings = new RunningSettings({ env, flags });
  const clusterCode = await loadClusterCode(settings.config);
  const service = new LabApiService(settings, log, { admit, clusterCode });
  let stopping: Promise<void> | undefined;
  const stop = async (how = { cancelJobs: false }): Promise<void> => (stopping ??= service.stop(how));
  stops.push(async () => stop({ cancelJobs: true }));
  const url = await service.start();
  if (url === undefined) throw new Error('the service was stopped during its start');
  const basePath = options.env?.['LAB_API_BASE_PATH'] ?? '';
  return Object.assign(new Client(`${url}${basePath}`, options.client), { ground, stop });
}

export interface ProgramRun {
  readonly child: ChildProcess;
  readonly output: () => string;
  /** Resolves with the exit code (null after a signal) once the program and its output have ended. */
  readonly exit: Promise<number | null>;
  /** Waits until the program has printed this. */
  readonly prints: (pattern: RegExp) => Promise<RegExpExecArray>;
}

/** Runs the built program; `through` is a command that ends in running what follows it, such as `nsenter`. */
export function runProgram(
  args: readonly string[],
  env: Variables,
  cwd = repository,
  through: readonly string[] = [],
): ProgramRun {
  return runCommand([...through, process.execPath, builtProgram, ...args], env, cwd);
}

export function runCommand(
  [file = '', ...words]: readonly string[],
  env: Variables,
  cwd: string,
): ProgramRun {
  const child = spawn(file, words, { cwd, env: { ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return {
    child,
    output: () => output,
    exit,
    prints: async (pattern) =>
      eventually(
        `the program prints ${pattern}; it printed:\n${output}`,
        () => pattern.exec(output) ?? undefined,
      ),
  };
}

export interface RunningProgram extends Client {
  readonly ground: Ground;
  readonly run: ProgramRun;
  /** Sends a signal and waits for the end. */
  end: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/** Starts `node dist/main.js api` with the fake lab CLI. Its end is waited for after the test file. */
export async function startProgram(
  options: StartOptions & {
    readonly args?: readonly string[];
    readonly cwd?: string;
    readonly through?: readonly string[];
    /** Another build of the program. */
    readonly program?: string;
  } = {},
): Promise<RunningProgram> {
  const ground = options.ground ?? makeGround();
  const env = { ...ground.env, LAB_API_LOG_LEVEL: 'info', LAB_API_LOG_FORMAT: 'text', ...options.env };
  const { through = [], program = builtProgram, args = [], cwd = ground.root } = options;
  const run = runCommand([...through, process.execPath, program, 'api', ...args], env, cwd);
  const end = async (signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> => {
    run.child.kill(signal);
    return run.exit;
  };
  stops.push(async () => void (await end()));
  let hasEnded = false;
  void run.exit.then(() => (hasEnded = true));
  // One look at both: a wait for words of a program that has ended would go on behind the test.
  const url = await eventually(`the program listens; it printed:\n${run.output()}`, () => {
    const [, found] = /lab-api is listening url=(\S+)/.exec(run.output()) ?? [];
    return found ?? (hasEnded ? null : undefined);
  });
  if (url === null) throw new Error(`the program ended at its start: ${run.output()}`);
  // What another program declares is not known here.
  const check = options.program === undefined ? assertDeclared : () => undefined;
  return Object.assign(new Client(url, options.client, () => hasEnded, check), { ground, run, end });
}

/** Whether a process of that job is alive, told by the variable that every job gets. */
export async function processesOf(jobId: string): Promise<number[]> {
  return processesWith(`LAB_JOB_ID=${jobId}`);
}
