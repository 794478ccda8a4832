/** The users and groups with whom a lab, a workspace or a snapshot is shared. Methods throw as those of LabApiClient do. */
import type { Share } from './api-types.ts';
import type { Connection } from './connection.ts';
import { asShares } from './expected.ts';

interface SharesQuery {
  readonly host?: string | undefined;
}

export class SharesClient {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #query: SharesQuery;

  /** @param what `/labs/ID`, `/workspaces/NAME` or `/snapshots/NAME`. @param query `host`: in a cluster, the host that has the snapshot. */
  constructor(connection: Connection, what: string, query: SharesQuery = {}) {
    this.#connection = connection;
    this.#path = what;
    this.#query = query;
  }

  async list(): Promise<readonly Share[]> {
    return asShares(await this.#connection.json('GET', this.#path, { query: { ...this.#query } }));
  }

  /** The new shares take the place of all that there were. */
  async replace(shares: readonly Share[]): Promise<readonly Share[]> {
    const query = { ...this.#query };
    return asShares(await this.#connection.json('PUT', `${this.#path}/shares`, { body: { shares }, query }));
  }
}
