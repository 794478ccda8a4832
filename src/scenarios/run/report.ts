/** Collects the verdicts of a scenario, and writes its files. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { writeDurably } from '../../lib/files/write-durably.ts';
import type { ScenarioPlan } from '../model/scenario-plan.ts';
import type { FaultReport, ScenarioReport } from '../model/scenario-report.ts';
import { matrixSvg, timelineSvg } from './pictures.ts';

const fileMode = 0o600;
const directoryMode = 0o700;

export class Report {
  readonly #plan: ScenarioPlan;
  readonly #directory: string;
  readonly #startedAt = new Date().toISOString();
  readonly #faults: FaultReport[] = [];

  constructor(plan: ScenarioPlan, directory: string) {
    [this.#plan, this.#directory] = [plan, directory];
  }

  add(fault: FaultReport): void {
    this.#faults.push(fault);
  }

  get content(): ScenarioReport {
    const { title, streams, faults } = this.#plan;
    const count = (verdict: FaultReport['verdict']): number =>
      this.#faults.filter((fault) => fault.verdict === verdict).length;
    return {
      title,
      startedAt: this.#startedAt,
      complete: this.#faults.length === faults.length,
      passed: count('passed'),
      failed: count('failed'),
      streams: streams.map(({ name }) => name),
      faults: this.#faults,
    };
  }

  /** @throws Error when the disk refuses. */
  async write(): Promise<void> {
    const { content } = this;
    const files = {
      'scenario.json': `${JSON.stringify(content, undefined, 2)}\n`,
      ...(content.faults.length > 0 && {
        'matrix.svg': matrixSvg(content),
        'timeline.svg': timelineSvg(content),
      }),
    };
    await mkdir(this.#directory, { recursive: true, mode: directoryMode });
    for (const [name, text] of Object.entries(files))
      await writeDurably(path.join(this.#directory, name), text, fileMode);
  }
}
