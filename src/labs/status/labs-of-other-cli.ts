/** The labs that one lab CLI lists but another lab CLI of the same service shows. */
import type { LabEntries, LabEntry } from '../drivers/status-driver.ts';

/** How the labs of one lab CLI relate to the labs of the others in the same service. */
export interface BesideOthers {
  /** Changes whenever the others have changed something on disk that decides whose labs are. Cheap, never throws. */
  readonly version: () => string;
  /** To be called before a run; then it says which of the others has a lab that the run told of: it is shown there. */
  readonly look: () => (entry: LabEntry) => string | undefined;
}

/** A listed lab that belongs to another lab CLI. */
interface LabElsewhere {
  readonly entry: LabEntry;
  /** The name of that lab CLI. */
  readonly cli: string;
}

export class LabsOfOtherCli {
  readonly #beside: BesideOthers;
  #known: ReadonlyMap<string, LabElsewhere> = new Map();

  constructor(beside: BesideOthers = { version: () => '', look: () => () => undefined }) {
    this.#beside = beside;
  }

  /** Those that the last good list told of: by the id that they have there. */
  get known(): ReadonlyMap<string, LabElsewhere> {
    return this.#known;
  }

  get version(): string {
    return this.#beside.version();
  }

  /** The labs of a run, without those that another lab CLI shows. */
  async without<T extends { readonly entries: LabEntries }>(run: () => Promise<T>): Promise<T> {
    const whose = this.#beside.look();
    const told = await run();
    const others = [...told.entries].flatMap(([id, entry]) => {
      const cli = whose(entry);
      return cli === undefined ? [] : [[id, { entry, cli }] as const];
    });
    this.#known = new Map(others);
    if (others.length === 0) return told;
    return { ...told, entries: new Map([...told.entries].filter(([id]) => !this.#known.has(id))) };
  }
}
