/**
 * A command in a node whose three streams belong to its client, byte by byte (RFC 4254, section 6.5). Unlike the programs of
 * node-program.ts, it needs its standard input for itself, so a guard ends it when its client goes.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Socket } from 'node:net';
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { AppError } from '../../lib/app-error.ts';
import { deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import { exitCodeOf } from '../../lib/processes/exit-code.ts';
import { withoutHidden } from '../../lib/processes/hidden-descriptors.ts';
import { sessionVariable } from '../drivers/node-driver.ts';
import { runCaptured } from '../system/run.ts';
import { endWhenQuiet, killGroup } from './node-program.ts';
import { wayFailure, type NodeSession } from './node-session.ts';
import { nameCommand, placeGuard, type SessionGuard } from './session-guard.ts';

/** Printed when the node is reached, with the id of the process that becomes the command. */
const mark = /lab: in the node (\d+)\n/;

/** `sh -c script lab SESSION PROGRAM …`. A user expects to begin at home, as with any server of SSH. */
const script = `printf 'lab: in the node %s\\n' $$ >&2
export ${sessionVariable}="$1"
shift
cd "\${HOME:-/}" 2>/dev/null || cd /
command -v "$1" >/dev/null || { printf 'lab: %s: not found\\n' "$1" >&2; exit 127; }
exec "$@"`;

/** A leader of its group gets the signal with its children. */
const signalScript = 'kill -s "$1" -- "-$2" 2>/dev/null || kill -s "$1" "$2"';

/** The signals of RFC 4254 (section 6.10) that a client may send. */
const clientSignals: ReadonlySet<string> = new Set([
  'ALRM',
  'HUP',
  'INT',
  'KILL',
  'QUIT',
  'TERM',
  'USR1',
  'USR2',
]);

const reachMs = 20_000;
const signalMs = 10_000;
/** How long the program that enters the node may take to end when nothing of the command is left. */
const endMs = 2_000;
/** As much as is kept of the words of the program that enters the node. */
const maxWordsBytes = 16 * 1024;

interface Parts {
  readonly child: ChildProcess;
  readonly session: string;
  readonly guard: SessionGuard;
  readonly place: Pick<NodeSession, 'way' | 'env' | 'node' | 'signal' | 'leave'>;
}

export class PipedCommand {
  readonly stdin: Writable;
  /** Both must be read, or the command waits. A command that was cut off ends them, too. */
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves with its exit code when it has ended and all that it printed was read; null when it was ended from here. */
  readonly ended: Promise<number | null>;
  /** Resolves with its id in the node; undefined when that was not reached. */
  readonly begun: Promise<number | undefined>;
  readonly #parts: Parts;
  readonly #stopHolding: () => void;
  readonly #closed = deferred<void>();
  #words = '';
  #closing = false;
  #isSignaling = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    const { child, guard, session, place } = parts;
    const [stdin, stdout, stderr] = [child.stdin, child.stdout, child.stderr] as [Writable, Socket, Socket];
    const errors = new PassThrough();
    [this.stdin, this.stdout, this.stderr] = [stdin, stdout, errors];
    this.#stopHolding = guard.holdName(session);
    stdin.on('error', () => undefined);
    stdout.on('error', () => undefined);
    const begun = deferred<number | undefined>();
    this.begun = begun.promise;
    this.#readErrors(stderr, errors, begun.resolve);
    const ended = deferred<number | null>();
    this.ended = ended.promise;
    child.once('exit', () => {
      stdin.destroy();
      for (const output of [stdout, stderr]) endWhenQuiet(output);
    });
    child.once('error', ({ message }) => {
      this.#words += message;
    });
    child.once('close', (code, signal) => {
      begun.resolve(undefined);
      errors.end();
      ended.resolve(this.#closing ? null : exitCodeOf(code, signal));
      void this.#leave();
    });
    const close = (): void => this.close();
    place.signal.addEventListener('abort', close);
    void this.#closed.promise.then(() => place.signal.removeEventListener('abort', close));
    if (place.signal.aborted) close();
  }

  /** The complaints when the node was not reached. */
  get words(): string {
    return this.#words;
  }

  /** Resolves when nothing of it is left that must not stay. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  /** Ends the command with all that it has started: its client has gone. */
  close(): void {
    if (this.#closing) return;
    this.#closing = true;
    const { child, guard, session } = this.#parts;
    this.stdin.destroy();
    // They have no reader any more: a full pipe must not keep it from ending.
    for (const output of [this.stdout, this.stderr]) output.resume();
    void guard.end(session).then(() =>
      after(endMs, () => {
        killGroup(child);
        for (const output of [child.stdout, child.stderr]) output?.destroy();
      }),
    );
  }

  /** Sends the command a signal of `clientSignals`; ignored while one is on its way. Never throws. */
  async signal(name: string): Promise<void> {
    const pid = await this.begun;
    const { exitCode, signalCode } = this.#parts.child;
    // Another process may have its id by now.
    const hasEnded = this.#closing || exitCode !== null || signalCode !== null;
    if (pid === undefined || hasEnded || this.#isSignaling || !clientSignals.has(name)) return;
    this.#isSignaling = true;
    const { env, way } = this.#parts.place;
    const kill = ['-c', signalScript, 'lab', name, String(pid)];
    await runCaptured('sh', kill, { env, timeoutMs: signalMs, words: way });
    this.#isSignaling = false;
  }

  /** The program that enters the node complains before the mark; the rest is of the command. */
  #readErrors(source: Readable, into: PassThrough, begin: (pid: number) => void): void {
    source.on('error', () => undefined);
    const head = (chunk: Buffer): void => {
      this.#words += chunk.toString('latin1').slice(0, maxWordsBytes - this.#words.length);
      const found = mark.exec(this.#words);
      if (found === null) return;
      source.off('data', head);
      const rest = this.#words.slice(found.index + found[0].length);
      if (rest !== '') into.write(Buffer.from(rest, 'latin1'));
      source.pipe(into, { end: false });
      begin(Number(found[1]));
    };
    source.on('data', head);
  }

  async #leave(): Promise<void> {
    const { guard, session, place } = this.#parts;
    if (this.#closing) await guard.end(session);
    this.#stopHolding();
    place.leave();
    await guard.release();
    this.#closed.resolve();
  }
}

/**
 * Starts a command, whose words no shell reads. `guarded`: the words that lead to where its processes run.
 * @throws AppError when the node was not reached.
 */
export async function startPiped(
  place: Parts['place'],
  program: readonly string[],
  guarded: readonly string[],
): Promise<PipedCommand> {
  const { way, env, node } = place;
  const { guard, words } = await placeGuard(guarded, env);
  if (guard === undefined) throw wayFailure(node, { words });
  const session = nameCommand();
  const [file = '', ...args] = [...way, 'sh', '-c', script, 'lab', session, ...program];
  // A group of its own: it may have to be killed with the program that enters the node.
  const child = spawn(file, args, {
    env: { ...env },
    detached: true,
    cwd: '/',
    stdio: withoutHidden(['pipe', 'pipe', 'pipe']),
  });
  const command = new PipedCommand({ child, session, guard, place });
  const stopTimer = after(reachMs, () => command.close());
  const pid = await command.begun;
  stopTimer();
  if (pid !== undefined) return command;
  for (const output of [command.stdout, command.stderr]) output.resume();
  await command.closed;
  throw place.signal.aborted
    ? new AppError('lab-cli-failed', `${node} was not reached: its client has gone`)
    : wayFailure(node, { words: command.words });
}
