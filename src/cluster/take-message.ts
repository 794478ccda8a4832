/** Does what another host asks for through Redis. */
import { AppError, messageOf } from '../lib/app-error.ts';
import type { Logger } from '../lib/logger.ts';
import type { OwnHost } from './own-host.ts';
import type { AnsweredMessages } from './answered-messages.ts';
import type { Answer, Message, Submission } from './model/message.ts';
import type { RedisClock } from './redis-clock.ts';
import type { ClaimJob } from './claim-job.ts';
import { problemOf } from './submissions.ts';

type Outcome = Answer['outcome'];

interface TakeMessageDeps {
  readonly own: Pick<OwnHost, 'submit' | 'isOwnKey' | 'cancel' | 'view' | 'facts' | 'onForged'>;
  readonly answered: AnsweredMessages;
  readonly clock: RedisClock;
  readonly claimJob: ClaimJob;
  /** Whether this run is the host no more. */
  readonly isOusted: () => boolean;
  /** Resolves when the others can find a new job. */
  readonly indexed: (id: string) => Promise<void>;
  readonly log: Logger;
}

/** Its sender waits for it no more. */
function tooLate(): AppError {
  return new AppError('host-unavailable', 'the host came to this request too late; nothing was started');
}

async function taken(message: Submission, deps: TakeMessageDeps): Promise<Outcome> {
  const { own, claimJob, isOusted, indexed } = deps;
  const { nonce, asker } = message;
  if (isOusted()) throw tooLate();
  const claim = message.claim ?? { key: `cluster:${nonce}`, fingerprint: nonce };
  const user = asker?.name ?? null;
  const stake = {
    place: message.place ?? undefined,
    key: message.claim === null ? undefined : { user, key: claim.key },
  };
  const submit = async () => own.submit(message.body, asker, { ...claim, user });
  // Delivered again after a crash, it finds the job that it made.
  const isMade = own.isOwnKey({ user, key: claim.key });
  const accepted = await (isMade ? submit() : claimJob.take(stake, submit, message.ifRoom));
  await indexed(accepted.job.id);
  const isReplayed = accepted.isReplayed && message.claim !== null;
  return { kind: 'accepted', job: accepted.job, isReplayed };
}

/** The answer to a message that comes again. A job that was removed meanwhile is not made a second time. */
async function answeredAgain(
  outcome: Outcome,
  { asker }: Message,
  own: TakeMessageDeps['own'],
): Promise<Outcome> {
  if (outcome.kind !== 'accepted') return outcome;
  const job = await own.view(String(outcome.job['id']), asker).catch(() => undefined);
  if (job) return { ...outcome, job };
  throw new AppError(
    'host-unavailable',
    'the host carried this request out before; its job is not there any more',
  );
}

function refusalOf(error: unknown, log: Logger): Outcome {
  if (error instanceof AppError) return problemOf(error);
  log.error('a message of another host failed unexpectedly', { cause: messageOf(error) });
  return problemOf(
    new AppError('internal', 'an internal error occurred; the log of that host has the details'),
  );
}

/** A newer host may send a kind that this one does not know: the answer refuses it at once, so that its sender does not wait. */
function refuseUnknown(version: string, log: Logger): Outcome {
  const message = `a host of a newer version wants what this one does not know (it runs ${version})`;
  log.warn('a message of a newer host cannot be read', { version });
  return problemOf(new AppError('not-supported', `${message}: nothing was started`));
}

/** Never rejects: what is wrong is an answer, too. */
async function takeMessage(message: Message, deps: TakeMessageDeps): Promise<Outcome> {
  const { own, answered, clock, log } = deps;
  const settled = async (act: () => Promise<Outcome>): Promise<Outcome> =>
    act().catch((error: unknown) => refusalOf(error, log));
  if (message.kind === 'cancel')
    return settled(async () => {
      await own.cancel(message.job, message.asker, message.force);
      return { kind: 'done' };
    });
  if ((clock.nowMs ?? Number.POSITIVE_INFINITY) > message.endsAtMs) return problemOf(tooLate());
  return answered.once(
    message.nonce,
    async () => settled(async () => taken(message, deps)),
    async (outcome) => settled(async () => answeredAgain(outcome, message, own)),
  );
}

/** The handlers of the messages for this host. */
export function messageHandlers(deps: TakeMessageDeps) {
  const { own, answered, log } = deps;
  return {
    take: async (message: Message) => takeMessage(message, deps),
    onForged: own.onForged,
    onUnknown: async (nonce: string) => answered.once(nonce, () => refuseUnknown(own.facts().version, log)),
  };
}
