/** Sends the probes of one stream with fping(8), in the network of the node that they come from. */
import { setTimeout as delay } from 'node:timers/promises';
import { RunningNodeProgram } from '../../labs/nodes/node-program.ts';
import type { Stream } from '../model/scenario-plan.ts';
import { Readings } from './readings.ts';

/** A reply that is later counts as lost. */
const replyLimitMs = 400;
const batchMs = 50;
/** Whether a probe that was sent so long ago is lost is known by now. */
export const settledMs = replyLimitMs + 2 * batchMs;

/** `[1795860309.84402] 10.0.0.1 : [44], 64 bytes, 0.044 ms (0.039 avg, 0% loss)`: when the reply came, sequence, round trip. */
const replyLine = /^\[(\d+\.\d+)\] .* : \[(\d+)\], \d+ bytes, ([\d.]+) ms/;

export interface Way {
  /** The words that lead into the network of the node. */
  readonly way: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

function commandOf({ address, source, periodMs }: Stream): readonly string[] {
  const from = source === null ? [] : ['-S', source];
  return ['fping', '-l', '-D', '-p', String(periodMs), '-t', String(replyLimitMs), ...from, address];
}

export class Probe {
  readonly stream: Stream;
  readonly #program: RunningNodeProgram;
  readonly #readings: Readings;
  #why: string | undefined;

  constructor(stream: Stream, { way, env }: Way) {
    this.stream = stream;
    // A sign for fractions other than "." would be read as none.
    const program = { way, program: commandOf(stream), env: { ...env, LC_ALL: 'C' }, isMerged: false };
    this.#program = new RunningNodeProgram(program);
    this.#readings = new Readings(stream.periodMs, Date.now());
    void this.#read();
    void this.#program.ended.then(({ words }) => {
      this.#why = `the probes of ${stream.name} ended: ${words.split('\n').at(-1) || 'fping said nothing'}`;
    });
  }

  /** Why it sends no probes any more, a sentence; undefined while it does. */
  get whyEnded(): string | undefined {
    return this.#why;
  }

  get readings(): Pick<Readings, 'lossIn' | 'forget'> {
    return this.#readings;
  }

  /** Resolves when nothing of it is left. */
  async stop(): Promise<void> {
    this.#program.stop();
    await this.#program.ended;
  }

  async #read(): Promise<void> {
    let begun = '';
    for await (const chunk of this.#program.output()) {
      const lines = `${begun}${chunk.toString('latin1')}`.split('\n');
      begun = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
      // Several lines at a time take less processor time than each by itself.
      await delay(batchMs);
    }
  }

  #take(line: string): void {
    const [, cameSeconds, sequence, roundTripMs] = replyLine.exec(line) ?? [];
    if (cameSeconds === undefined) return;
    const sentMs = Number(cameSeconds) * 1_000 - Number(roundTripMs);
    this.#readings.add({ sequence: Number(sequence), sentMs });
  }
}
