import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError } from '../../lib/app-error.ts';
import { StampedCache } from '../../lib/cache/stamped-cache.ts';
import type { AllowedRoots } from '../system/allowed-roots.ts';
import type { LabCli } from '../drivers/lab-driver.ts';
import type { StatusSource } from '../drivers/status-driver.ts';
import type { LabTopology } from '../drivers/topology.ts';
import { unknownInstance } from '../drivers/status-failure.ts';
import { isLarge } from '../system/foreign-file.ts';
import type { RunResult } from '../system/run.ts';

interface LabTopologiesDeps {
  /** The lab CLI that is in use now. @throws AppError `lab-cli-missing`. */
  readonly cli: () => LabCli;
  readonly roots: AllowedRoots;
  readonly status: Pick<StatusSource, 'entries'>;
  readonly runIn: (cli: LabCli, directory: string, args: readonly string[]) => Promise<RunResult>;
}

/** A topology with what tells it from others: the same stamp stands for the same topology. */
export interface StampedTopology {
  readonly topology: LabTopology;
  readonly stamp: string;
  /** A real path. */
  readonly directory: string;
}

const keptMax = 32;
/** Topologies of a few thousand nodes. */
const largeMax = 4;

/** The topologies of labs, each read once for as long as its snapshot does not change. */
export class LabTopologies {
  readonly #deps: LabTopologiesDeps;
  /** By lab. */
  readonly #kept = new StampedCache<LabTopology>(keptMax);
  /** The labs with a large topology in the cache, in the order of use. */
  readonly #large = new Set<string>();

  constructor(deps: LabTopologiesDeps) {
    this.#deps = deps;
  }

  /**
   * The topology of a lab as it was started. @throws AppError `instance-not-found`; `topology-not-found` without a snapshot;
   * `forbidden-path` when it lives outside the roots; `lab-cli-…` when it cannot be read.
   */
  async of(id: string): Promise<StampedTopology> {
    const cli = this.#deps.cli();
    const { directory, stamp } = await this.place(id);
    const topology = await this.#kept.get(id, stamp, async () =>
      cli.driver.topology.read(directory, async (args) => this.#deps.runIn(cli, directory, args), id),
    );
    this.#large.delete(id);
    if (isLarge(topology)) this.#keepLarge(id);
    return { topology, stamp, directory };
  }

  /** Undefined when it cannot be read. */
  async ifReadable(id: string): Promise<LabTopology | undefined> {
    return (await this.of(id).catch(() => undefined))?.topology;
  }

  /** Where it is, and its stamp, without reading it. @throws AppError as `of`, but for `lab-cli-…`. */
  async place(id: string): Promise<Omit<StampedTopology, 'topology'>> {
    const directory = await this.directoryOf(id);
    const name = this.#deps.cli().driver.topology.snapshotName(id);
    return { directory, stamp: await this.#stampOf(id, path.join(directory, name)) };
  }

  #keepLarge(id: string): void {
    this.#large.add(id);
    const [oldest] = this.#large;
    if (oldest === undefined || this.#large.size <= largeMax) return;
    this.#large.delete(oldest);
    this.#kept.forget(oldest);
  }

  /**
   * The directory of a lab, a real path inside the roots: reading a snapshot may be to run what is in it (netlab's is a
   * Python pickle). @throws AppError as `of`, but for the snapshot.
   */
  async directoryOf(id: string): Promise<string> {
    const entry = (await this.#deps.status.entries(false)).get(id);
    if (entry === undefined) throw unknownInstance(id);
    const told = this.#deps.cli().driver.status.directoryOf(entry);
    const directory = told && (await realpath(told).catch(() => undefined));
    if (directory === undefined || directory === '')
      throw new AppError(
        'topology-not-found',
        `the directory of lab "${id}" (${told ?? 'which the lab CLI does not tell'}) is not there: take the lab down`,
      );
    this.#deps.roots.check(directory, `lab "${id}"`);
    return directory;
  }

  async #stampOf(id: string, file: string): Promise<string> {
    try {
      const { mtimeNs, size, ino } = await stat(file, { bigint: true });
      return `${mtimeNs}:${size}:${ino}:${file}`;
    } catch (error) {
      const message = `lab "${id}" has no snapshot ${file}: the lab was not started yet, or the file was removed; "up" writes it again`;
      throw new AppError('topology-not-found', message, { cause: error });
    }
  }
}
