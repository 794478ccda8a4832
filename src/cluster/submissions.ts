/** Has a job taken by the host that it belongs to: the one that has its directory, else the one with most room. */
import { randomUUID } from 'node:crypto';
import type { JobService } from '../jobs/job-service.ts';
import { AppError, invalidField } from '../lib/app-error.ts';
import { errorCodes, errorSpec, type ErrorCode } from '../lib/error-codes.ts';
import { digestOf, type Bindings, type Place } from './bindings.ts';
import { MaybeTaken, NothingStarted, type Dispatch } from './dispatch.ts';
import type { WantedJob } from './model/cluster-service.ts';
import type { Host } from './model/host.ts';
import type { Answer, Submission } from './model/message.ts';
import type { Placement } from './placement.ts';
import type { RedisClock } from './redis-clock.ts';
import type { Registry } from './registry.ts';
import type { Stake, ClaimJob } from './claim-job.ts';

type Accepted = Awaited<ReturnType<JobService['submit']>>;

/** As long as a host may take to plan a job: it may have to run the lab CLI, or to download a topology. */
const answerMs = 60_000;

interface SubmissionsDeps {
  readonly ownId: () => string;
  readonly registry: Registry;
  readonly bindings: Bindings;
  readonly placement: Placement;
  readonly dispatch: Dispatch;
  readonly claimJob: ClaimJob;
  readonly clock: RedisClock;
  /** Whether a place is this host's own, as far as it knows by itself. */
  readonly isOwnPlace: (job: Pick<WantedJob, 'workspace' | 'directory' | 'instance'>) => Promise<boolean>;
  /** This host has taken a job that Redis does not know. */
  readonly onUntold: () => void;
}

export function problemOf(error: AppError): Extract<Answer['outcome'], { kind: 'refused' }> {
  const { code, message, errors, extra, retryAfterSeconds } = error;
  const problem = {
    code,
    message,
    errors: [...errors],
    extra: { ...extra },
    retryAfterSeconds: retryAfterSeconds ?? null,
  };
  return { kind: 'refused', problem };
}

/** Refuses a job while it is unknown whether some host, perhaps this one, has its place or key. */
class NotSettled extends AppError {
  constructor(message: string) {
    super('cluster-unavailable', message, { retryAfterSeconds: 5 });
  }
}

export class Submissions {
  readonly #deps: SubmissionsDeps;

  constructor(deps: SubmissionsDeps) {
    this.#deps = deps;
  }

  async submit(job: WantedJob, here: () => Promise<Accepted>): Promise<Accepted> {
    try {
      return await this.#placeJob(job, here);
    } catch (error) {
      // Without Redis, this host still takes jobs of its own places, and tells the other hosts later.
      const isWithoutRedis = error instanceof AppError && error.code === 'cluster-unavailable';
      const mayTake = isWithoutRedis && !(error instanceof NotSettled) && (await this.#isForThis(job));
      if (!mayTake) throw error;
      return here().finally(this.#deps.onUntold);
    }
  }

  async #placeJob(job: WantedJob, here: () => Promise<Accepted>): Promise<Accepted> {
    const earlier = await this.#earlierHost(job);
    const candidates = earlier ? [earlier] : await this.#candidatesFor(job);
    // How busy the others are is known of some seconds ago: the job goes where it begins at once, if that can be found.
    const hopeful = job.startsLab ? this.#deps.placement.hopeful(candidates) : [];
    const unfit = new Set<string>();
    let refusal: unknown;
    for (const [at, host] of [...hopeful, ...candidates].entries()) {
      if (unfit.has(host.id)) continue;
      const ifRoom = at < hopeful.length;
      try {
        return await this.#giveTo(host, job, here, ifRoom);
      } catch (error) {
        // A host that may have taken it is the only one that may be asked again.
        if (!(error instanceof AppError) || error instanceof MaybeTaken) throw error;
        if (errorSpec(error.code).isOfOneHost !== true) throw error;
        if (!ifRoom || error.code !== 'queue-full') unfit.add(host.id);
        refusal = error;
      }
    }
    throw refusal;
  }

  async #isForThis(job: WantedJob): Promise<boolean> {
    const { ownId, registry, isOwnPlace } = this.#deps;
    const { host } = job;
    if (host === undefined) return isOwnPlace(job);
    return host === ownId() || registry.hosts.some(({ isThis, name }) => isThis && name === host);
  }

  /** The host that has taken this very request before: it has the job, even if the place is another host's by now. */
  async #earlierHost({ claim }: WantedJob): Promise<Host | undefined> {
    const holder = claim && (await this.#deps.bindings.claimedBy(digestOf(claim)));
    return holder ? this.#known(holder) : undefined;
  }

  /** The hosts to try, one after the other. */
  async #candidatesFor(job: WantedJob): Promise<readonly Host[]> {
    const bound = await this.#boundHost(job);
    if (bound) return [this.#answering(bound)];
    if (job.host !== undefined) return [this.#mayTake(this.#deps.registry.get(job.host), job)];
    const { registry, placement } = this.#deps;
    const all = placement.candidates(registry.hosts, { labels: job.hostLabels, cli: job.cli });
    if (all.length === 0) throw this.#noHost(job);
    // A job that starts no lab is offered first to the host that got the request.
    return job.startsLab ? all : all.toSorted((a, b) => Number(b.isThis) - Number(a.isThis));
  }

  /** The host that the job belongs to already. @throws AppError `conflict` when another one is asked for. */
  async #boundHost(job: WantedJob): Promise<Host | undefined> {
    const { registry, bindings } = this.#deps;
    const place = placeOf(job);
    const id = place && (await bindings.hostOf(place.kind, place.name));
    let host = id ? registry.hosts.find((one) => one.id === id) : undefined;
    host ??= this.#hostOfLab(job);
    if (host === undefined || job.host === undefined || registry.get(job.host).id === host.id) return host;
    const what = place ? `the ${place.kind} ${place.name}` : `the lab "${job.instance}"`;
    throw new AppError('conflict', `host: ${what} is on the host ${host.name}`);
  }

  #hostOfLab({ directory, instance, host }: WantedJob): Host | undefined {
    const fits = ({ labs }: Host): boolean =>
      labs.some((lab) => (directory === undefined ? lab.instance === instance : lab.directory === directory));
    const all = this.#deps.registry.hosts
      .filter(fits)
      .filter(({ id, name }) => host === undefined || [id, name].includes(host));
    if (all.length <= 1 || directory !== undefined) return all.find(({ isThis }) => isThis) ?? all[0];
    const names = all.map(({ name }) => name).join(', ');
    throw new AppError(
      'conflict',
      `instance: there is a lab "${instance}" on ${names}; say which by "host" or "workdir"`,
    );
  }

  #answering(host: Host): Host {
    if (host.state !== 'away') return host;
    throw new AppError('host-unavailable', `the host ${host.name}, where this belongs, does not answer`, {
      retryAfterSeconds: 15,
    });
  }

  #mayTake(host: Host, { startsLab }: WantedJob): Host {
    if (!startsLab || host.state !== 'draining') return this.#answering(host);
    throw new AppError('host-unavailable', `the host ${host.name} is drained: it takes no new labs`);
  }

  #noHost({ hostLabels, cli }: WantedJob): AppError {
    const { hosts, isSettled } = this.#deps.registry;
    if (cli !== undefined && isSettled && !hosts.some(({ clis }) => clis.includes(cli)))
      return invalidField('cli', `no host has the lab CLI "${cli}"`);
    const unknown = hostLabels.filter((label) => !hosts.some(({ labels }) => labels.includes(label)));
    if (unknown.length > 0 && isSettled)
      return invalidField('hostLabels', `no host has ${unknown.join(', ')}`);
    const asked = [...hostLabels, ...(cli === undefined ? [] : [cli])];
    const which = asked.length > 0 ? ` with ${asked.join(', ')}` : '';
    return new AppError(
      'host-unavailable',
      `no host${which} takes labs now: each is away, drained or not reached`,
      {
        retryAfterSeconds: 15,
      },
    );
  }

  /** Binds the place and the key in Redis first, so that two requests at once reach the same host. */
  async #giveTo(
    host: Host,
    job: WantedJob,
    here: () => Promise<Accepted>,
    ifRoom: boolean,
  ): Promise<Accepted> {
    const { registry, placement, claimJob } = this.#deps;
    if (!registry.isSettled) await this.#refuseWhatMayBeTaken(job);
    const stake = { place: job.startsLab ? placeOf(job) : undefined, key: job.claim };
    const { target, undo } = await this.#settle(host, stake);
    if (job.host !== undefined && registry.get(job.host).id !== target.id) {
      await undo();
      throw new AppError('conflict', `host: this was given to the host ${target.name} before`);
    }
    placement.noteGiven(target);
    if (target.isThis) return claimJob.take(stake, here, ifRoom);
    try {
      return await this.#sendTo(target, job, { ...stake, ifRoom });
    } catch (error) {
      // A binding that cannot be undone now stays with a host without a job: the next job goes to that host.
      if (error instanceof NothingStarted) await undo().catch(() => undefined);
      throw error;
    }
  }

  /** The host that has the place, or has taken the same request before, and `host` where none has. */
  async #settle(host: Host, { place, key }: Stake): Promise<{ target: Host; undo: () => Promise<void> }> {
    const { bindings } = this.#deps;
    const digest = key && digestOf(key);
    let target = host;
    let [releases, disclaims] = [false, false];
    if (place) {
      const bound = await bindings.bind(place.kind, place.name, host.id);
      releases = bound.isNew;
      target = this.#known(bound.holder) ?? (await this.#takeOver(place, bound.holder, host));
    }
    if (digest !== undefined) {
      const claimed = await bindings.claim(digest, target.id);
      disclaims = claimed.isNew;
      const earlier = this.#known(claimed.holder);
      // The key of a host that is known no more goes with its jobs.
      if (!earlier) await bindings.disclaim(digest, claimed.holder);
      else if (!claimed.isNew) {
        // That host binds the place itself if it has no job of this request.
        if (place && releases) await bindings.release(place.kind, place.name, target.id);
        releases = false;
        target = earlier;
      }
    }
    const { id } = target;
    const undo = async (): Promise<void> => {
      if (place && releases) await bindings.release(place.kind, place.name, id);
      if (digest !== undefined && disclaims) await bindings.disclaim(digest, id);
    };
    return { target: this.#answering(target), undo };
  }

  #known(id: string): Host | undefined {
    return this.#deps.registry.hosts.find((one) => one.id === id);
  }

  /** A host that was forgotten may have it still. */
  async #takeOver({ kind, name }: Place, from: string, host: Host): Promise<Host> {
    const { bindings } = this.#deps;
    await bindings.takeOver(kind, name, from, host.id);
    return this.#known((await bindings.hostOf(kind, name)) ?? host.id) ?? host;
  }

  /** @throws AppError `cluster-unavailable` when some host may have the place or the key, and Redis does not know that any more. */
  async #refuseWhatMayBeTaken(job: WantedJob): Promise<void> {
    const place = placeOf(job);
    const isFree = place && (await this.#deps.bindings.hostOf(place.kind, place.name)) === null;
    if (!isFree && job.claim === undefined) return;
    const message =
      'Redis has lost what it knew, and the hosts tell it anew: which of them has this is not known yet';
    throw new NotSettled(message);
  }

  async #sendTo(
    host: Host,
    { body, claim, asker }: WantedJob,
    { place, ifRoom }: Stake & { readonly ifRoom: boolean },
  ): Promise<Accepted> {
    const { ownId, dispatch, clock } = this.#deps;
    const message: Submission = {
      kind: 'submit',
      nonce: randomUUID(),
      from: ownId(),
      to: host.id,
      asker,
      body,
      place: place ?? null,
      claim: claim ? { key: claim.key, fingerprint: claim.fingerprint } : null,
      ifRoom,
      endsAtMs: (clock.nowMs ?? 0) + answerMs,
    };
    const outcome = await dispatch.send(message, host, answerMs);
    if (outcome.kind === 'accepted')
      return { job: outcome.job as Accepted['job'], isReplayed: outcome.isReplayed };
    if (outcome.kind === 'done') throw new Error(`the host ${host.name} has done something else`);
    const { code, message: text, errors, extra, retryAfterSeconds } = outcome.problem;
    // It has come to the message too late, perhaps for the second time: it may have died while it took it.
    if (code === 'host-unavailable') throw new MaybeTaken(host);
    throw new AppError(knownCode(code), text, {
      errors,
      extra,
      ...(retryAfterSeconds !== null && { retryAfterSeconds }),
    });
  }
}

/** A newer host may refuse for a reason that this one has no status for: its sentence says what it is. */
function knownCode(code: string): ErrorCode {
  return errorCodes.find((one) => one === code) ?? 'conflict';
}

function placeOf({ workspace, directory }: WantedJob): Place | undefined {
  if (workspace !== undefined) return { kind: 'workspace', name: workspace };
  return directory === undefined ? undefined : { kind: 'directory', name: directory };
}
