/** The part of this host that the cluster uses. */
import type { JobService } from '../jobs/job-service.ts';
import type { Key } from './bindings.ts';
import type { WantedJob } from './model/cluster-service.ts';
import type { JobRow } from './model/job-row.ts';
import type { Asker } from './model/message.ts';
import type { UsageByOwner } from '../quotas/usage.ts';
import type { OwnFacts } from './registry.ts';
import type { OwnKnowledge } from './republish-state.ts';

type Accepted = Awaited<ReturnType<JobService['submit']>>;
type Claim = Parameters<JobService['submit']>[1]['claim'];

export interface OwnHost extends OwnKnowledge {
  readonly name: string;
  readonly facts: () => Omit<OwnFacts, 'isDraining' | 'cannotReach'>;
  readonly rowOf: (id: string) => JobRow | undefined;
  /** Whether a job would begin at once, after those that are being taken. */
  readonly hasRoom: (coming: number) => boolean;
  /** Of its users. */
  readonly usage: () => UsageByOwner;
  /** Whether a request with this key has made a job here. */
  readonly isOwnKey: (key: Key) => boolean;
  readonly isOwnPlace: (job: Pick<WantedJob, 'workspace' | 'directory' | 'instance'>) => Promise<boolean>;
  /** Takes a job for a user of another host. @throws AppError. */
  readonly submit: (body: unknown, asker: Asker, claim: Claim) => Promise<Accepted>;
  /** @throws AppError for a job that is not there, or not for this user. */
  readonly view: (id: string, asker: Asker) => Promise<Accepted['job']>;
  readonly cancel: (id: string, asker: Asker, force: boolean) => Promise<unknown>;
  /** The message was not written by a host of this cluster. */
  readonly onForged: (nonce: string) => void;
}
