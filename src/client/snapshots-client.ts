/** Labs that were kept: their files and the configurations of their nodes. Methods throw as those of LabApiClient do. */
import type { Differences, RestoreRequest, RestoreResult, Snapshot } from './api-types.ts';
import type { Connection } from './connection.ts';
import { SharesClient } from './shares-client.ts';
import { asDifferences, asRestored, asSnapshot, asSnapshots } from './expected.ts';

/** In a cluster, the host that has the snapshot; else the one that is asked. */
interface OnHost {
  readonly host?: string | undefined;
}

const pathOf = (name: string): string => `/snapshots/${encodeURIComponent(name)}`;
const pathOfLab = (lab: string): string => `/labs/${encodeURIComponent(lab)}`;

export class SnapshotsClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /** Newest first. */
  async list(query: OnHost = {}): Promise<readonly Snapshot[]> {
    return asSnapshots(await this.#connection.json('GET', '/snapshots', { query: { ...query } }));
  }

  async get(name: string, query: OnHost = {}): Promise<Snapshot> {
    return asSnapshot(await this.#connection.json('GET', pathOf(name), { query: { ...query } }));
  }

  /** Keeps a lab that runs under a new name. */
  async keep(lab: string, name: string): Promise<Snapshot> {
    return asSnapshot(await this.#connection.json('POST', `${pathOfLab(lab)}/snapshots`, { body: { name } }));
  }

  /** A client for the shares of a snapshot. */
  shares(name: string, query: OnHost = {}): SharesClient {
    return new SharesClient(this.#connection, pathOf(name), query);
  }

  /** All of its files as a tar.gz, for `workspaces.replace` of any lab server. */
  async download(name: string, query: OnHost = {}): Promise<Response> {
    return this.#connection.send('GET', `${pathOf(name)}/files`, { query: { ...query } });
  }

  async remove(name: string, query: OnHost = {}): Promise<void> {
    await this.#connection.send('DELETE', pathOf(name), { query: { ...query } });
  }

  /** Starts a lab from it, or several copies: the jobs of all of them are queued, or none. */
  async restore(name: string, body: RestoreRequest, query: OnHost = {}): Promise<RestoreResult> {
    const path = `${pathOf(name)}/restore`;
    return asRestored(await this.#connection.json('POST', path, { body, query: { ...query } }));
  }

  /** From one snapshot to another one. */
  async compare(name: string, later: string, query: OnHost = {}): Promise<Differences> {
    const path = `${pathOf(name)}/diff`;
    return asDifferences(await this.#connection.json('GET', path, { query: { ...query, with: later } }));
  }

  /** From a snapshot to the lab as it runs; by default from the last one that was made of it, or that it was started from. */
  async compareLab(
    lab: string,
    query: { readonly snapshot?: string | undefined } = {},
  ): Promise<Differences> {
    const path = `${pathOfLab(lab)}/diff`;
    return asDifferences(await this.#connection.json('GET', path, { query: { ...query } }));
  }
}
