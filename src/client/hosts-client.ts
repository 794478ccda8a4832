/** The lab servers of a cluster (docs/cluster.md). */
import type { Host, SettingsChange } from './api-types.ts';
import type { Connection } from './connection.ts';
import { asHost, asHosts, asSettingsChange } from './expected.ts';

const pathOf = (name: string): string => `/hosts/${encodeURIComponent(name)}`;

/** Methods throw as those of LabApiClient do; a service that works alone knows no hosts (404, `host-not-found`). */
export class HostsClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  async list(): Promise<readonly Host[]> {
    return asHosts(await this.#connection.json('GET', '/hosts'));
  }

  /** Has a host take no new labs, or take them again. */
  async drain(name: string, drain = true): Promise<Host> {
    return asHost(await this.#connection.json('POST', `${pathOf(name)}/drain`, { body: { drain } }));
  }

  /** Has a host read its settings again; without a name, the host that answers. For administrators. */
  async reload(name?: string): Promise<SettingsChange> {
    return asSettingsChange(await this.#connection.json('POST', '/reload', { query: { host: name } }));
  }

  /** Forgets a host that is away and will not come back. */
  async forget(name: string): Promise<void> {
    await this.#connection.send('DELETE', pathOf(name));
  }
}
