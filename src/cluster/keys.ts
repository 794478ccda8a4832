/** Every key in Redis, but those of BullMQ, which begin with `lab-api:queue`. */
const prefix = 'lab-api';

export const keys = {
  /** The name of the data in Redis and when it began: a new one after Redis has lost its data. */
  mark: `${prefix}:mark`,
  /** Hash: the last signed record of each host, by its id. */
  hosts: `${prefix}:hosts`,
  /** Hash: the id of the host that has a name. */
  names: `${prefix}:host-names`,
  /** Hash: the id of the host that has a directory or a workspace. */
  bindings: `${prefix}:bindings`,
  /** Hash: the signed usage of each host by its users, by the id of the host. */
  usage: `${prefix}:usage`,
  /** Raised by each change of a usage. */
  usageVersion: `${prefix}:usage-version`,
  /** The run that a host is. It ends by itself when the host tells nothing any more. */
  lease: (id: string) => `${prefix}:lease:${id}`,
  /** Sorted set: a row for each job of a host, `<id> <signed summary>`, by name. */
  jobs: (id: string) => `${prefix}:jobs:${id}`,
  /** Which run of a host has written all of its jobs and bindings: gone with them, should Redis lose its data. */
  written: (id: string) => `${prefix}:written:${id}`,
  /** The host that was given a request, by a digest of its `Idempotency-Key`. */
  claim: (digest: string) => `${prefix}:claim:${digest}`,
  /** Channel: what has become of the messages of a host. */
  answers: (id: string) => `${prefix}:answers:${id}`,
} as const;

export const queuePrefix = `${prefix}:queue`;
export const queueName = (id: string): string => `lab-${id}`;
