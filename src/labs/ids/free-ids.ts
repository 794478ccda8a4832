/**
 * Free multilab ids. An id is taken while the status lists a lab of that name, while an unfinished job is about one, and from
 * the moment that it is given out until the lab has gone. It is known of each id which job it was given to, in a file that
 * every service on the machine reads: so two requests never get the same, whichever services they came to, and a service
 * that is killed in between keeps no id for ever.
 */
import { AppError, messageOf } from '../../lib/app-error.ts';
import type { Logger } from '../../lib/logger.ts';
import { Mutex } from '../../lib/async/mutex.ts';
import { identify, isAlive } from '../../lib/processes/processes.ts';
import { highestMultilabId } from '../model/options.ts';
import { IdClaimFiles, type IdClaim } from './id-claims.ts';

/** `unknown`: the system cannot answer now. */
type JobPresence = 'unfinished' | 'finished' | 'absent' | 'unknown';

export interface FreeIdsDeps {
  /** Where claims are kept: the same directory for all services that use that lab CLI. */
  readonly directory: () => string;
  /** The directory of this service. */
  readonly jobsDirectory: string;
  /** The ids in the status. @throws AppError when the status is unknown. */
  readonly listed: (fresh: boolean) => Promise<Iterable<string>>;
  /** The id of the lab on record in a directory (a real path); undefined when there is none, or it is unknown. */
  readonly idIn: (directory: string) => Promise<string | undefined>;
  /** Ids that something else on this machine seems to have, a lab of another user for example: they are given out last. */
  readonly avoided: () => Promise<readonly string[]>;
  /** The instances that unfinished jobs of this service are about. */
  readonly instancesOfJobs: () => Iterable<string>;
  /** The state of a job according to the records in a jobs directory, of this service or of another one. */
  readonly presenceOf: (jobsDirectory: string, job: string) => Promise<JobPresence>;
  readonly log: Logger;
}

const everyId = Array.from({ length: highestMultilabId }, (_, index) => index + 1);

export class FreeIds {
  readonly #deps: FreeIdsDeps;
  readonly #turn = new Mutex();
  readonly #process = identify(process.pid);
  /** Given out by this service to jobs that are not on record yet. */
  readonly #making = new Set<number>();

  constructor(deps: FreeIdsDeps) {
    this.#deps = deps;
  }

  /**
   * A free id, for a job that is to be recorded now: `keep` or `giveBack` is to be called when it is, or is not. It is the next
   * one after the id that was given out last: a client that still refers to the previous lab of an id must not reach the lab of
   * another user. A lab that is on record in the directory of the job keeps its id: nothing else would ever take it off the
   * record when the directory was made anew.
   * @throws AppError `no-free-id`, `storage-fault`, or the reason why the status is unknown: no id is given out by a guess.
   */
  async take(directory?: string) {
    const own = directory === undefined ? undefined : await this.#deps.idIn(directory);
    return this.#alone(async (files) => {
      const taken = await this.#settle(files);
      const kept = everyId.find((id) => String(id) === own && taken.has(String(id)));
      if (kept !== undefined) return this.#retake(files, kept);
      const last = await files.readLast();
      const inTurn = [...everyId.filter((id) => id > last), ...everyId.filter((id) => id <= last)];
      const avoided = new Set(await this.#deps.avoided());
      const free = inTurn.filter((id) => !taken.has(String(id)));
      const [first, second] = [free.filter((id) => !avoided.has(String(id))), free];
      for (const id of [...first, ...second]) if (await this.#claim(files, id)) return this.#taken(files, id);
      const message = `all multilab ids from 1 to ${highestMultilabId} are taken: stop labs that are not needed ("lab labs" and GET /labs list them)`;
      throw new AppError('no-free-id', message);
    });
  }

  /** To be called when a job has ended: the id of its lab is given back when the lab has gone with it. */
  noteEnd({ instance }: { readonly instance: string | null }): void {
    if (instance !== null && /^\d+$/.test(instance)) void this.#tidyAfter(Number(instance));
  }

  async #tidyAfter(id: number): Promise<void> {
    if (!(await new IdClaimFiles(this.#deps.directory()).has(id))) return;
    await this.#alone(async (files) => this.#settle(files)).catch((error: unknown) => {
      this.#deps.log.warn('multilab ids cannot be given back now', { cause: messageOf(error) });
    });
  }

  async #alone<T>(task: (files: IdClaimFiles) => Promise<T>): Promise<T> {
    return this.#turn.run(async () => {
      const files = new IdClaimFiles(this.#deps.directory());
      return files.alone(async () => task(files));
    });
  }

  /** Every instance that is taken. Claims that stand for nothing any more are removed. */
  async #settle(files: IdClaimFiles): Promise<ReadonlySet<string>> {
    const { listed, instancesOfJobs } = this.#deps;
    const claims = await files.read();
    const ofJobs = [...instancesOfJobs()];
    const over = new Set<number>();
    for (const [id, claim] of claims) if (claim !== null && (await this.#isOver(id, claim))) over.add(id);
    // The jobs first: a lab that its job has started by then is in the list.
    let labs = new Set(await listed(false));
    const isGone = (id: number): boolean => over.has(id) && !labs.has(String(id));
    // The cached status may be older than a lab that another service has started.
    if ([...over].some(isGone)) labs = new Set(await listed(true));
    const gone = [...over].filter(isGone);
    for (const id of gone) await files.remove(id);
    const held = [...claims.keys()].filter((id) => !gone.includes(id)).map(String);
    return new Set([...held, ...labs, ...ofJobs]);
  }

  /** Whether no lab is going to be started for this claim any more. A lab that was started may still exist. */
  async #isOver(id: number, { jobsDirectory, job, process: owner }: IdClaim): Promise<boolean> {
    const isOurs = jobsDirectory === this.#deps.jobsDirectory;
    const presence = job === null ? 'absent' : await this.#deps.presenceOf(jobsDirectory, job);
    // Without a record: about to get one, or never recorded, or removed since.
    if (presence === 'absent') return isOurs ? !this.#making.has(id) : !isAlive(owner);
    return presence === 'finished';
  }

  /** The lab on record keeps the id taken, whatever becomes of the claim. */
  async #retake(files: IdClaimFiles, id: number) {
    await files.replace(id, this.#unbound);
    this.#making.add(id);
    return this.#taken(files, id);
  }

  get #unbound(): IdClaim {
    return { jobsDirectory: this.#deps.jobsDirectory, job: null, process: this.#process };
  }

  async #claim(files: IdClaimFiles, id: number): Promise<boolean> {
    this.#making.add(id);
    const isMade = await files.make(id, this.#unbound).catch((error) => {
      this.#making.delete(id);
      throw error;
    });
    if (!isMade) this.#making.delete(id);
    // Of use, and nothing more: the claim is what counts.
    else await files.writeLast(id).catch(() => undefined);
    return isMade;
  }

  #taken(files: IdClaimFiles, id: number) {
    const { jobsDirectory, log } = this.#deps;
    return {
      id,
      bindTo: async (job: string) => files.replace(id, { jobsDirectory, job, process: this.#process }),
      keep: () => void this.#making.delete(id),
      giveBack: async () => {
        await files.remove(id).catch((error: unknown) => {
          log.warn('a multilab id cannot be given back now', { id, cause: messageOf(error) });
        });
        this.#making.delete(id);
      },
    };
  }
}
