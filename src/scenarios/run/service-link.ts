/** Asks the service for what it alone may do: it keeps faults on record. A restart of the service interrupts nothing. */
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { deferred, type Deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import type { Answer, Numbered, Question } from '../model/link-messages.ts';

const retryMs = 200;
/** How long a scenario waits for a service that was stopped. Faults that it has set meanwhile have an end of their own. */
const giveUpMs = 60_000;

/** The service refused. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: string;

  constructor({ code, message }: { readonly code: string; readonly message: string }) {
    super(message);
    this.code = code;
  }
}

/** Undefined for half a line: a service that was killed is asked again. */
function answerIn(line: string): Numbered<Answer> | undefined {
  try {
    return JSON.parse(line) as Numbered<Answer>;
  } catch {
    return undefined;
  }
}

interface Open {
  readonly question: Question;
  readonly answer: Deferred<unknown>;
}

export class ServiceLink {
  /** The answer to the first question of each connection. */
  readonly plan: Promise<unknown>;
  readonly #file: string;
  readonly #job: string;
  readonly #plan = deferred<unknown>();
  readonly #open = new Map<number, Open>();
  #last = 0;
  #socket: Socket | undefined;
  #isClosed = false;
  #lost: Error | undefined;
  #stopClock: (() => void) | undefined;

  /** `file` is the socket of the service. Never throws. */
  constructor(file: string, job: string) {
    [this.#file, this.#job] = [file, job];
    this.plan = this.#plan.promise;
    this.#connect();
  }

  /** @throws Refused; Error when the service does not come back. */
  async ask(question: Question): Promise<unknown> {
    if (this.#lost) throw this.#lost;
    const answer = deferred<unknown>();
    this.#last += 1;
    this.#open.set(this.#last, { question, answer });
    this.#send({ id: this.#last, ...question });
    return answer.promise;
  }

  /** Why it asks no more; undefined while it does. */
  get lost(): Error | undefined {
    return this.#lost;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopClock?.();
    this.#socket?.destroy();
  }

  #connect(): void {
    const socket = connect(this.#file);
    this.#stopClock ??= after(giveUpMs, () => this.#giveUp());
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      this.#stopClock?.();
      this.#stopClock = undefined;
      this.#socket = socket;
      this.#send({ id: 0, ask: 'plan', job: this.#job });
      for (const [id, { question }] of this.#open) this.#send({ id, ...question });
    });
    createInterface({ input: socket })
      // It repeats the errors of the socket.
      .on('error', () => undefined)
      .on('line', (line) => this.#take(line));
    socket.once('close', () => {
      this.#socket = undefined;
      if (!this.#isClosed) setTimeout(() => this.#connect(), retryMs);
    });
  }

  #send(question: Numbered<Question>): void {
    this.#socket?.write(`${JSON.stringify(question)}\n`);
  }

  #take(line: string): void {
    const answer = answerIn(line);
    if (answer === undefined) return;
    const wanted = answer.id === 0 ? this.#plan : this.#open.get(answer.id)?.answer;
    this.#open.delete(answer.id);
    if ('error' in answer) wanted?.reject(new Refused(answer.error));
    else wanted?.resolve(answer.value);
  }

  #giveUp(): void {
    this.close();
    const error = new Error(`the service did not come back within ${giveUpMs / 1_000} s`);
    this.#lost = error;
    this.#plan.reject(error);
    for (const { answer } of this.#open.values()) answer.reject(error);
  }
}
