/** The users and groups with whom a lab or a workspace is shared. Methods throw as those of LabApiClient do. */
import type { Share } from './api-types.ts';
import type { Connection } from './connection.ts';
import { asShares } from './expected.ts';

export class SharesClient {
  readonly #connection: Connection;
  readonly #path: string;

  /** @param what `/labs/ID` or `/workspaces/NAME`. */
  constructor(connection: Connection, what: string) {
    this.#connection = connection;
    this.#path = what;
  }

  async list(): Promise<readonly Share[]> {
    return asShares(await this.#connection.json('GET', this.#path));
  }

  /** The new shares take the place of all that there were. */
  async replace(shares: readonly Share[]): Promise<readonly Share[]> {
    return asShares(await this.#connection.json('PUT', `${this.#path}/shares`, { body: { shares } }));
  }
}
