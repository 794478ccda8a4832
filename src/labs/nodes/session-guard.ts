/**
 * Ends what runs at a terminal where closing the terminal does not: in a container, whose engine goes on with a program when
 * its client is gone; and on this machine what ignores that its terminal is gone, or does not get to know. All terminals at one
 * place share a guard, so that a killed service costs one look at the processes there, not one for each terminal. It waits from
 * before the first of them is opened, and acts when its standard input ends: when we are killed.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { deferred, type Deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import { sessionVariable } from '../drivers/node-driver.ts';
import { withoutHidden } from '../../lib/processes/hidden-descriptors.ts';

const mark = 'lab: on guard';
const leaving = 'leave';

/** The names of all sessions of this service begin with it: a guard can end them without a list of them. */
const service = randomUUID();

/** A name for what runs at a terminal: the value of `sessionVariable` in its environment. */
export const nameSession = (): string => `${service}.${randomUUID()}`;

/**
 * The same for a command whose daemons stay when it has ended by itself. When we are killed, a guard ends it, and them, only while
 * it holds the name.
 */
export const nameCommand = (): string => `command.${randomUUID()}`;

/**
 * `sh -c script lab SERVICE`. Each line that it reads has names of sessions, which it ends and then repeats, or a name to hold or to drop. The `grep` of
 * busybox reads no further than to the first NUL byte, and images may have no `xargs`: there, each process costs two programs.
 * A pid is signalled at once when it is found, because it may be another process's later. Of processes that start others while
 * they are ended, some may be missed at first: it looks again until there are none. A container engine starts a program some
 * time after its client has asked for it: after our end, the guard looks a second time.
 */
const script = `echo '${mark}' >&2
if command -v xargs >/dev/null && printf 'a\\0b\\0' | grep -qzsF --line-buffered -e b 2>/dev/null; then
  look() { printf '%s\\n' /proc/[0-9]*/environ | xargs grep -lzsF --line-buffered -e "$1"; }
else
  look() { for file in /proc/[0-9]*/environ; do tr '\\0' '\\n' <"$file" | grep -qF -e "$1" && echo "$file"; done; }
fi
pause() { sleep "$1" || sleep 1; }
kill_found() { look "$1" | while read -r file; do
  pid=\${file%/environ}
  kill -KILL "\${pid#/proc/}" && echo "$pid"
done; }
end() { for round in 1 2 3 4 5 6 7 8 9; do
  [ -n "$(kill_found "$1")" ] || return 0
  pause 0.1
done; }
held=
drop() { kept=; for name in $held; do [ "$name" = "$1" ] || kept="$kept $name"; done; held=$kept; }
while read -r names; do
  case $names in
    ${leaving}) exit ;;
    'hold '*) held="$held \${names#hold }"; continue ;;
    'drop '*) drop "\${names#drop }"; continue ;;
  esac
  if [ -n "$names" ]; then end "$(printf '${sessionVariable}=%s\\n' $names)" 2>/dev/null; fi
  echo "$names"
done
exec 2>/dev/null
for seconds in 0.3 0.7; do
  pause $seconds
  end "$(printf '${sessionVariable}=%s\n' "$1." $held)"
done`;

/** How long the way into the node may take, and how long the guard may take to do its work. */
const limitMs = 10_000;

const guards = new Map<string, SessionGuard>();

export class SessionGuard {
  /** Resolves with whether it got there. */
  readonly placed: Promise<boolean>;
  readonly #key: string;
  readonly #child: ChildProcess;
  readonly #gone = deferred<void>();
  #isGone = false;
  #holders = 0;
  #words = '';
  /** It is about to end these, when it has ended those before. */
  #names: string[] = [];
  #ending: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #repeated = '';
  #awaited: { readonly line: string; readonly done: Deferred<void> } | undefined;

  constructor(key: string, way: readonly string[], env: Readonly<Record<string, string>>) {
    this.#key = key;
    const [file = '', ...args]: readonly string[] = [...way, 'sh', '-c', script, 'lab', service];
    const child: ChildProcess = spawn(file, args, {
      env: { ...env },
      detached: true,
      stdio: withoutHidden(['pipe', 'pipe', 'pipe']),
    });
    this.#child = child;
    const placed = deferred<boolean>();
    this.placed = placed.promise;
    const stopTimer = after(limitMs, () => void child.kill('SIGKILL'));
    child.stdin?.on('error', () => undefined);
    child.stdout?.on('data', (chunk: Buffer) => this.#hear(chunk.toString('utf8')));
    child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#words.length < 4096) this.#words += chunk.toString('utf8');
      if (!this.#words.includes(mark)) return;
      stopTimer();
      placed.resolve(true);
    });
    const leave = (): void => {
      stopTimer();
      placed.resolve(false);
      this.#forget();
      this.#isGone = true;
      this.#gone.resolve();
      this.#awaited?.done.resolve();
    };
    child.once('error', ({ message }) => {
      this.#words += message;
      leave();
    });
    child.once('close', leave);
  }

  /** Its complaints, or those of the way that leads there. */
  get words(): string {
    return this.#words;
  }

  hold(): void {
    this.#holders += 1;
  }

  /** The session is over: nothing of it is left. With the last one, the guard leaves; resolves when it has. */
  async release(): Promise<void> {
    this.#holders -= 1;
    if (this.#holders > 0) return;
    this.#forget();
    if (this.#isGone) return;
    this.#child.stdin?.end(`${leaving}\n`);
    const stopTimer = after(limitMs, () => void this.#child.kill('SIGKILL'));
    await this.#gone.promise;
    stopTimer();
  }

  /** Ends what has this name (`nameCommand`) when we are killed, until the returned function is called. */
  holdName(name: string): () => void {
    this.#child.stdin?.write(`hold ${name}\n`);
    return () => void (this.#isGone || this.#child.stdin?.write(`drop ${name}\n`));
  }

  /** Ends everything of a session; resolves when that is done. Those who ask while it is at work share its next look. */
  async end(session: string): Promise<void> {
    this.#names.push(session);
    this.#next ??= this.#ending.then(async () => {
      const line = this.#names.join(' ');
      [this.#names, this.#next] = [[], undefined];
      this.#ending = this.#ask(line);
      return this.#ending;
    });
    return this.#next;
  }

  async #ask(line: string): Promise<void> {
    if (this.#isGone) return;
    const done = deferred<void>();
    this.#awaited = { line, done };
    this.#child.stdin?.write(`${line}\n`);
    // It is not killed: others may still need it. It does what it was asked when it can.
    const stopTimer = after(limitMs, () => done.resolve());
    await done.promise;
    stopTimer();
  }

  /** The guard repeats each line when it has done it. A line that was given up on may come late, and is ignored. */
  #hear(text: string): void {
    this.#repeated += text;
    const lines = this.#repeated.split('\n');
    this.#repeated = lines.pop() ?? '';
    if (this.#awaited && lines.includes(this.#awaited.line)) this.#awaited.done.resolve();
  }

  #forget(): void {
    if (guards.get(this.#key) === this) guards.delete(this.#key);
  }
}

/**
 * Puts a guard into the node, or right here when no words lead there, unless there is one; undefined when it does not get there,
 * with what was said of it. The caller releases it.
 */
export async function placeGuard(
  way: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly guard: SessionGuard | undefined; readonly words: string }> {
  const key = JSON.stringify([way, env]);
  const guard = guards.get(key) ?? new SessionGuard(key, way, env);
  guards.set(key, guard);
  guard.hold();
  const isPlaced = await guard.placed;
  if (!isPlaced) await guard.release();
  return { guard: isPlaced ? guard : undefined, words: guard.words };
}
