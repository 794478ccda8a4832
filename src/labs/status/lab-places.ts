/** Where the labs of one lab CLI are. */
import type { Environment, LabCli, LabDriver } from '../drivers/lab-driver.ts';
import type { LabEntry } from '../drivers/status-driver.ts';
import { findLabIn, realDirectoryOf, recordedLabs, type RecordedLab } from './lab-in-directory.ts';
import type { LabStatus } from './lab-status.ts';

/** A listed lab. */
export interface FoundLab {
  readonly id: string;
  /** A real path, as long as there is such a directory; empty when it is not told. */
  readonly directory: string;
  /** The lab CLI, by its name, that has started it by way of this one. */
  readonly starter: string | undefined;
}

interface LabPlacesDeps {
  readonly driver: () => LabDriver;
  readonly env: Environment;
  /** Undefined while it is not on this machine. */
  readonly cli: () => Pick<LabCli, 'file' | 'driver'> | undefined;
  readonly status: Pick<LabStatus, 'entries' | 'elsewhere' | 'lastEntries' | 'isLastRecent' | 'catchUp'>;
}

export class LabPlaces {
  readonly #deps: LabPlacesDeps;

  constructor(deps: LabPlacesDeps) {
    this.#deps = deps;
  }

  /** Whether what the status told last is all that is known without a run. */
  get keepsNoRecord(): boolean {
    return this.#deps.driver().files.recordedLabs === undefined;
  }

  /**
   * Await it before `labIn`, which knows only the last status of a lab CLI without a record, and only the part of a long record
   * that was read. Never rejects: `labIn` throws then.
   */
  async seeAll(): Promise<void> {
    if (this.keepsNoRecord) await this.#deps.status.catchUp();
    else await this.seeRecord();
  }

  /** Await it so that `recorded` knows what a long record says now. Never rejects. */
  async seeRecord(): Promise<void> {
    await this.#deps.driver().files.seeRecordedLabs?.(this.#deps.env);
  }

  /**
   * The lab that lives in `directory` (a real path) or below, as the lab CLI has it on record now; undefined when there is
   * none. @throws AppError `workspace-busy` if that is unknown.
   */
  labIn(directory: string): string | undefined {
    return findLabIn(directory, () => {
      // For a lab CLI without a record, a status from before the last change does not count.
      if (this.keepsNoRecord && !this.#deps.status.isLastRecent)
        throw new Error('the status of the labs is being read');
      return this.#recorded(false);
    });
  }

  /**
   * All labs that the lab CLI has on record, without a run of it: as it was read last, while a long record is read anew.
   * @throws Error if they are unknown.
   */
  recorded(): readonly RecordedLab[] {
    return this.#recorded(true);
  }

  #recorded(mayBeOld: boolean): readonly RecordedLab[] {
    const { driver, env, status } = this.#deps;
    return recordedLabs(driver(), (files) => files.recordedLabs?.(env, mayBeOld) ?? status.lastEntries);
  }

  /** The id of the lab that it has on record in a directory; undefined if there is none or it is unknown. */
  recordedIn(directory: string): string | undefined {
    try {
      return this.recorded().find((lab) => lab.directory === directory)?.id;
    } catch {
      return undefined;
    }
  }

  /** The same from the newest record; of a lab CLI without one, undefined. */
  async idIn(directory: string): Promise<string | undefined> {
    if (this.keepsNoRecord) return undefined;
    await this.seeRecord();
    return this.recordedIn(directory);
  }

  /**
   * Every lab: by the record, without a run, which takes netlab a second; and by the status where there is no record, or the
   * program only speaks the language of the lab CLI and may keep its own elsewhere.
   * @throws as the record, and as the status.
   */
  async found(): Promise<readonly FoundLab[]> {
    const { driver, env, cli, status } = this.#deps;
    await this.seeRecord();
    const recorded = driver().files.recordedLabs?.(env, true);
    const program = cli();
    const isWhole = recorded !== undefined && program?.driver.recognizes(program.file) === true;
    const told = isWhole ? [] : await status.entries(false);
    return [...new Map([...(recorded ?? []), ...told])].map(([id, entry]) => this.#foundLab(id, entry));
  }

  /** The same from the record or the last status, without waiting. Empty if unknown. */
  lastFound(): readonly FoundLab[] {
    const { driver, env, status } = this.#deps;
    try {
      const entries = driver().files.recordedLabs?.(env, true) ?? status.lastEntries ?? [];
      return [...entries].map(([id, entry]) => this.#foundLab(id, entry));
    } catch {
      return [];
    }
  }

  /** A lab that another lab CLI of the service shows, by the id that it has here: whose it is, and where. */
  elsewhere(id: string): { readonly cli: string; readonly directory: string } | undefined {
    const other = this.#deps.status.elsewhere.get(id);
    return other && { cli: other.cli, directory: this.#foundLab(id, other.entry).directory };
  }

  #foundLab(id: string, entry: LabEntry): FoundLab {
    const { starterOf, directoryOf } = this.#deps.driver().status;
    return { id, directory: realDirectoryOf(directoryOf(entry)), starter: starterOf?.(entry) };
  }
}
