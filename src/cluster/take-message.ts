/** Does what another host asks for through Redis. */
import { AppError, messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import type { OwnHost } from './own-host.ts';
import type { Answer, Message } from './model/message.ts';
import type { RedisClock } from './redis-clock.ts';
import type { ClaimJob } from './claim-job.ts';
import { problemOf } from './submissions.ts';

interface TakeMessageDeps {
  readonly own: Pick<OwnHost, 'submit' | 'cancel'>;
  readonly clock: RedisClock;
  readonly claimJob: ClaimJob;
  /** Whether this run is the host no more. */
  readonly isOusted: () => boolean;
  /** Resolves when the others can find a new job. */
  readonly indexed: (id: string) => Promise<void>;
  readonly log: Logger;
}

async function done(message: Message, deps: TakeMessageDeps): Promise<Answer['outcome']> {
  const { own, clock, claimJob, isOusted, indexed } = deps;
  const { nonce, asker } = message;
  if (message.kind === 'cancel') {
    await own.cancel(message.job, asker, message.force);
    return { kind: 'done' };
  }
  if ((clock.nowMs ?? 0) > message.endsAtMs || isOusted())
    throw new AppError('host-unavailable', 'the host came to this request too late; nothing was started');
  // Twice delivered, it finds the job that it made.
  const claim = message.claim ?? { key: `cluster:${nonce}`, fingerprint: nonce };
  const user = asker?.name ?? null;
  const stake = {
    place: message.place ?? undefined,
    key: message.claim === null ? undefined : { user, key: claim.key },
  };
  const accepted = await claimJob.take(stake, async () =>
    own.submit(message.body, asker, { ...claim, user }),
  );
  await indexed(accepted.job.id);
  const isReplayed = accepted.isReplayed && message.claim !== null;
  return { kind: 'accepted', job: accepted.job, isReplayed };
}

/** A newer host may send a kind that this one does not know: the answer refuses it at once, so that its sender does not wait. */
export function refuseUnknown(version: string, log: Logger): Answer['outcome'] {
  const message = `a host of a newer version wants what this one does not know (it runs ${version})`;
  log.warn('a message of a newer host cannot be read', { version });
  return problemOf(new AppError('not-supported', `${message}: nothing was started`));
}

/** Never rejects: what is wrong is an answer, too. */
export async function takeMessage(message: Message, deps: TakeMessageDeps): Promise<Answer['outcome']> {
  try {
    return await done(message, deps);
  } catch (error) {
    if (error instanceof AppError) return problemOf(error);
    deps.log.error('a message of another host failed unexpectedly', { cause: messageOf(error) });
    return problemOf(
      new AppError('internal', 'an internal error occurred; the log of that host has the details'),
    );
  }
}
