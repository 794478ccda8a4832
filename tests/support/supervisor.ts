import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { processesWith } from './environments.ts';

type Variables = Readonly<Record<string, string>>;

/** The last value of a setting in a unit file; systemd's default when it is not there. */
export function unitSetting(unit: string, name: string, otherwise = ''): string {
  const values = [...unit.matchAll(new RegExp(`^${name}=(.*)$`, 'gm'))].map(([, value]) => value ?? '');
  return values.at(-1) ?? otherwise;
}

/** The variables of an `EnvironmentFile=` (systemd.exec(5)); those here have no quotes. */
export function environmentFile(file: string): Variables {
  const lines = readFileSync(file, 'utf8').split('\n');
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [, name, value] = /^(\w+)=(.*)$/.exec(line) ?? [];
      return name === undefined || value === undefined ? [] : [[name, value]];
    }),
  );
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone meanwhile.
  }
}

/**
 * Does with a unit what systemd does with it, as far as jobs can tell (systemd.service(5), systemd.kill(5)): starts
 * `ExecStart`, and `ExecStartPost` beside it; on a stop sends SIGTERM to the main process alone (`KillMode=process`) or to
 * every process of the unit. Those are told by `mark`, an assignment in the environment of them all: there is no control
 * group here to tell them by.
 */
export class Supervisor {
  readonly #unit: string;
  readonly #env: Variables;
  readonly #mark: string;
  #main: ChildProcess | undefined;
  output = '';

  constructor(unit: string, env: Variables, mark: string) {
    this.#unit = unit;
    this.#env = env;
    this.#mark = mark;
  }

  get mainPid(): number {
    return this.#main?.pid ?? 0;
  }

  #spawn(command: readonly string[], env: Variables, cwd: string): ChildProcess {
    const [file = '', ...args] = command;
    const child = spawn(file, args, { env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')));
    }
    return child;
  }

  /** Like `systemctl start`: the exit code of `ExecStartPost`, 0 when there the service is ready. */
  async start(cwd: string): Promise<number | null> {
    this.#main = this.#spawn(unitSetting(this.#unit, 'ExecStart').split(' '), this.#env, cwd);
    const [, script = ''] = /^\/bin\/sh -c '(.*)'$/.exec(unitSetting(this.#unit, 'ExecStartPost')) ?? [];
    // systemd would take `$name` and `${name}` for its own; what it gives the shell is the same.
    const env = { ...this.#env, MAINPID: String(this.mainPid) };
    const [code] = (await once(this.#spawn(['/bin/sh', '-c', script], env, cwd), 'exit')) as [number | null];
    return code;
  }

  /** Like `systemctl stop`: the exit code of the main process. */
  async stop(): Promise<number | null> {
    const isAlone = unitSetting(this.#unit, 'KillMode', 'control-group') === 'process';
    return this.#end('SIGTERM', isAlone ? [this.mainPid] : processesWith(this.#mark));
  }

  /** Like `kill -9` of the main process. */
  async crash(): Promise<void> {
    await this.#end('SIGKILL', [this.mainPid]);
  }

  async #end(name: NodeJS.Signals, pids: readonly number[]): Promise<number | null> {
    const main = this.#main;
    if (main === undefined || main.exitCode !== null || main.signalCode !== null)
      return main?.exitCode ?? null;
    const ended = once(main, 'exit') as Promise<[number | null]>;
    for (const pid of pids) signal(pid, name);
    return (await ended)[0];
  }
}
