/** A machine with labs, the services on it, and the claims of ids that they share. */
import { mkdirSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { presenceOf } from '../../../../src/jobs/store/record-files.ts';
import { FreeIds, type FreeIdsDeps } from '../../../../src/labs/ids/free-ids.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const base = temporaryDirectory();
export const jobId = (number: number): string => `job-${number}-abcdef`;

/** One machine: its labs, and the services on it. */
export class Machine {
  readonly root = mkdtempSync(path.join(base, 'machine-'));
  readonly claims = path.join(this.root, 'ids');
  readonly labs = new Set<string>();
  readonly ofJobs = new Set<string>();

  service(name: string, changes: Partial<FreeIdsDeps> = {}): FreeIds {
    return new FreeIds({
      directory: () => this.claims,
      jobsDirectory: path.join(this.root, name),
      listed: async () => this.labs,
      avoided: async () => [],
      instancesOfJobs: () => this.ofJobs,
      presenceOf,
      log: new MemoryLogger(),
      ...changes,
    });
  }

  record(service: string, job: string, state: string): void {
    const directory = path.join(this.root, service, job);
    mkdirSync(directory, { recursive: true });
    writeFileSync(path.join(directory, 'job.json'), JSON.stringify({ state }));
  }

  claimed(): number[] {
    const files = readdirSync(this.claims).filter((name) => name.endsWith('.json'));
    return files.map((name) => Number.parseInt(name, 10)).toSorted((a, b) => a - b);
  }

  /** A claim of a service whose process has ended. */
  claimOfDeadService(id: number, job: string | null): void {
    mkdirSync(this.claims, { recursive: true });
    const process = { pid: 1, startTicks: 1, bootId: 'another-boot' };
    const claim = { jobsDirectory: path.join(this.root, 'dead'), job, process };
    writeFileSync(path.join(this.claims, `${id}.json`), JSON.stringify(claim));
  }
}
