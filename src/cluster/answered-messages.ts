/**
 * `cluster-messages.jsonl`: the messages that this host has answered lately, with the answers. A message that comes once more, from
 * BullMQ after a crash or from a program that can write to Redis, gets the same answer and starts nothing. An answer is on disk
 * before its sender has it, unless the disk refuses: no restart forgets one.
 */
import path from 'node:path';
import { LineFile } from '../lib/files/line-file.ts';
import type { Logger } from '../lib/logger.ts';
import { answerSchema, type Answer } from './model/message.ts';

type Outcome = Answer['outcome'];

/** Twice as long as a message may be carried out. */
const keepMs = 120_000;

/** Of an accepted job, its id is enough. */
function shortened(outcome: Outcome): Outcome {
  return outcome.kind === 'accepted' ? { ...outcome, job: { id: outcome.job['id'] } } : outcome;
}

export class AnsweredMessages {
  readonly #file: LineFile;
  /** By nonce, oldest first. `endsAt`: of `performance.now()`, a clock that cannot be set. */
  readonly #answers = new Map<string, { readonly outcome: Outcome; readonly endsAt: number }>();
  readonly #underWay = new Map<string, Promise<Outcome>>();

  constructor(dataDir: string, log: Logger) {
    const answers = this.#answers;
    this.#file = new LineFile({
      file: path.join(dataDir, 'cluster-messages.jsonl'),
      head: JSON.stringify({ file: 'lab-api cluster messages', version: 1 }),
      content: function* () {
        for (const [nonce, { outcome }] of answers) yield { nonce, outcome } satisfies Answer;
      },
      size: () => answers.size,
      losses: {
        unread:
          'the answers to messages of other hosts are lost: one of the last minute may be carried out twice',
        unwritten: 'answers to messages of other hosts cannot be recorded',
      },
      log,
    });
  }

  /** Reads the answers of the last run. Never rejects. */
  async load(): Promise<void> {
    await this.#file.load((line) => {
      const answer = answerSchema.safeParse(line).data;
      if (answer) this.#keep(answer);
    });
  }

  /** Does what a message says, and otherwise gives its kept answer to `again`. `act` must not reject. */
  async once(
    nonce: string,
    act: () => Promise<Outcome> | Outcome,
    again = async (outcome: Outcome): Promise<Outcome> => Promise.resolve(outcome),
  ): Promise<Outcome> {
    const underWay = this.#underWay.get(nonce);
    if (underWay) return underWay;
    this.#forgetOld();
    const known = this.#answers.get(nonce);
    if (known) return again(known.outcome);
    const acting = this.#act(nonce, act).finally(() => this.#underWay.delete(nonce));
    this.#underWay.set(nonce, acting);
    return acting;
  }

  async #act(nonce: string, act: () => Promise<Outcome> | Outcome): Promise<Outcome> {
    const outcome = await act();
    const answer = { nonce, outcome: shortened(outcome) };
    this.#keep(answer);
    await this.#file.add(answer);
    return outcome;
  }

  #keep({ nonce, outcome }: Answer): void {
    this.#answers.set(nonce, { outcome, endsAt: performance.now() + keepMs });
  }

  #forgetOld(): void {
    const now = performance.now();
    for (const [nonce, { endsAt }] of this.#answers) {
      if (endsAt > now) return;
      this.#answers.delete(nonce);
    }
  }

  /** Writes what the disk refused, for the last time. Never rejects. */
  async close(): Promise<void> {
    await this.#file.close();
  }
}
