/**
 * Runs a program in a node that never outlives its client or this service, however they end. Killing the client of a
 * container engine leaves the program running in the container, so a watcher runs in the node beside the program.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { messageOf } from '../../lib/app-error.ts';
import { deferred } from '../../lib/async/deferred.ts';
import { after, every } from '../../lib/async/disposal.ts';
import { exitCodeOf } from '../../lib/processes/exit-code.ts';
import { withoutHidden } from '../../lib/processes/hidden-descriptors.ts';

/** Printed when the node is reached: what comes on standard error before it are complaints of what was to lead there. */
const mark = 'lab: in the node\n';

/**
 * Runs in the node: `sh -c script lab WHERE-ERRORS-GO BYTES PROGRAM …`. Standard input has BYTES bytes for the program. Each line
 * after them sends SIGTERM to the process group, and the end of standard input sends SIGKILL: it ends when the service closes it
 * or is killed. The watcher has no child and is waited for, because process 1 of a container may not reap processes that it
 * inherits. A process that left the process group (a daemon) stays.
 */
const script = `printf '${mark.trim()}\\n' >&2
if [ "$1" = merged ]; then exec 2>&1; fi
exec 3<&0
input=$(head -c "$2" <&3; printf x)
shift 2
{ trap '' TERM; while read -r _ <&3; do kill -TERM 0; done; kill -KILL 0; } >/dev/null 2>&1 &
watcher=$!
trap : TERM
printf %s "\${input%x}" | {
  exec 3<&-
  command -v "$1" >/dev/null || [ -e "$1" ] || { printf 'lab: %s: not found\\n' "$1" >&2; exit 127; }
  exec "$@"
}
code=$?
kill -KILL $watcher
wait $watcher 2>/dev/null
exit $code`;

/** After its end, output that is on its way is waited for this long: something that left the process group may hold the pipe. */
const drainMs = 500;
const askMs = 500;
/** The time for the program that enters the node (which may hang in a container engine) to end after SIGTERM. */
const endMs = 2_000;
/** As much as is kept of standard error. */
const maxWordsBytes = 16 * 1024;

export interface NodeProgram {
  /** The words that lead into the node; none to run it right here. */
  readonly way: readonly string[];
  readonly program: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** For the program's standard input. No NUL byte: a shell cannot hold one. */
  readonly input?: string;
  /** Whether what it prints on standard error goes where its standard output goes, in the order in which it was printed. */
  readonly isMerged: boolean;
}

export interface NodeProgramEnd {
  /** Null when it did not end by itself. 128 + the number of the signal that ended it, as in a shell. */
  readonly exitCode: number | null;
  /** Standard error of the program, unless merged into its output; of the command that enters the node if that failed. */
  readonly words: string;
}

export function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It ended in this moment.
  }
}

/** Ends the output of a program that has ended, once nothing comes any more. A reader that is slow gets all of it. */
export function endWhenQuiet(output: Socket): void {
  // Mostly it ends before the program does, and says so once.
  if (output.closed) return;
  let seen = -1;
  const stop = every(drainMs, () => {
    if (output.readableLength === 0 && output.bytesRead === seen) output.destroy();
    seen = output.bytesRead;
  });
  output.once('close', stop);
}

/** A program that runs in a node. */
export class RunningNodeProgram {
  /** Resolves with whether the node was reached; the program has been started then. */
  readonly begun: Promise<boolean>;
  /** Resolves when it has ended, and its output too. */
  readonly ended: Promise<NodeProgramEnd>;
  readonly #child: ChildProcess;
  readonly #output: Socket | null;
  readonly #heard = new EventEmitter();
  #words = '';
  #isInterrupted = false;
  #wasStopped = false;

  /** Never throws. */
  constructor({ way, program, env, input = '', isMerged }: NodeProgram) {
    const bytes = Buffer.from(input);
    const [file = '', ...args] = [
      ...way,
      'sh',
      '-c',
      script,
      'lab',
      isMerged ? 'merged' : 'apart',
      String(bytes.length),
      ...program,
    ];
    const begun = deferred<boolean>();
    const ended = deferred<NodeProgramEnd>();
    this.begun = begun.promise;
    this.ended = ended.promise;
    // A group of its own: `script` ends the group that it is in.
    const stdio = withoutHidden(['pipe', 'pipe', 'pipe']);
    this.#child = spawn(file, args, { env: { ...env }, detached: true, stdio });
    const { stdin, stdout, stderr } = this.#child;
    this.#output = stdout as Socket | null;
    // The program may end before it has read all.
    stdin?.on('error', () => undefined);
    stdin?.write(bytes);
    stderr?.on('data', (chunk: Buffer) => {
      if (this.#words.length < maxWordsBytes) this.#words += chunk.toString('utf8');
      if (this.#words.includes(mark)) begun.resolve(true);
      this.#heard.emit('words');
    });
    this.#child.once('error', (error) => {
      this.#words += messageOf(error);
      begun.resolve(false);
      ended.resolve({ exitCode: null, words: this.#words });
    });
    // Closing standard input ends the processes that still hold it in the node.
    this.#child.once('exit', () => {
      stdin?.destroy();
      if (this.#output) endWhenQuiet(this.#output);
    });
    this.#child.once('close', (code, signal) => {
      begun.resolve(false);
      const [before = '', behind] = this.#words.split(mark);
      const exitCode = this.#wasStopped ? null : exitCodeOf(code, signal);
      ended.resolve({ exitCode, words: (behind ?? before).trim() });
    });
  }

  /** Output of the program as it arrives; a slow reader slows the program. Can be read once; ends with the program. */
  async *output(): AsyncGenerator<Buffer, void, void> {
    try {
      if (this.#output) yield* this.#output as AsyncIterable<Buffer>;
    } catch {
      // Cut off by us: what still held the pipe is not the program.
    }
  }

  /** Resolves with whether it says this on standard error, as soon as it does, or has ended without. */
  async says(words: string): Promise<boolean> {
    const has = (): boolean => this.#words.includes(words);
    const said = deferred<boolean>();
    const look = (): void => void (has() && said.resolve(true));
    this.#heard.on('words', look);
    void this.ended.then(() => said.resolve(has()));
    look();
    const answer = await said.promise;
    this.#heard.off('words', look);
    return answer;
  }

  /** Asks it to end by itself, until it does: a signal that comes before the program waits for something may be lost to it. */
  interrupt(): void {
    if (this.#isInterrupted) return;
    this.#isInterrupted = true;
    const ask = (): void => void this.#child.stdin?.write('\n');
    ask();
    const stopAsking = every(askMs, ask);
    void this.ended.then(stopAsking);
  }

  /** Ends it, with everything in its process group. `ended` tells when that is done. */
  stop(): void {
    if (this.#child.exitCode === null) this.#wasStopped = true;
    this.#child.stdin?.destroy();
    // The output has no reader any more: a full pipe must not keep the program from ending.
    this.#output?.resume();
    after(endMs, () => {
      killGroup(this.#child);
      // A process that left the process group stays and may go on printing; do not wait for it.
      for (const pipe of [this.#output, this.#child.stderr]) pipe?.destroy();
    });
  }
}
