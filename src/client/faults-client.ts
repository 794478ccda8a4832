/** Faults of one lab (docs/faults.md). */
import { isMapping } from '../lib/mapping.ts';
import type { Fault, Link, LinkFaultRequest, NodeFaultRequest } from './api-types.ts';
import type { Connection } from './connection.ts';
import { UnexpectedReply } from './service-error.ts';

function asFault(value: unknown): Fault {
  if (isMapping(value) && typeof value['kind'] === 'string') return value as unknown as Fault;
  throw new UnexpectedReply('the reply is not a fault');
}

/** Methods throw as those of `LabApiClient` do. */
export class FaultsClient {
  readonly #connection: Connection;
  readonly #path: string;

  constructor(connection: Connection, lab: string) {
    this.#connection = connection;
    this.#path = `/labs/${encodeURIComponent(lab)}`;
  }

  /** The links of the lab, with their faults. */
  async links(): Promise<readonly Link[]> {
    const { links } = await this.#connection.json('GET', `${this.#path}/links`);
    if (Array.isArray(links)) return links as readonly Link[];
    throw new UnexpectedReply('the reply has no list of links');
  }

  /** All faults of the lab, those of nodes included. */
  async list(): Promise<readonly Fault[]> {
    const { faults } = await this.#connection.json('GET', this.#path);
    if (Array.isArray(faults)) return faults as readonly Fault[];
    throw new UnexpectedReply('the lab has no list of faults: is the service an older one?');
  }

  /** Breaks a link, by its id or as `r1-r2`. */
  async breakLink(link: string, fault: LinkFaultRequest): Promise<Fault> {
    return asFault(await this.#connection.json('PUT', this.#ofLink(link), { body: fault }));
  }

  async healLink(link: string): Promise<void> {
    await this.#connection.send('DELETE', this.#ofLink(link));
  }

  async breakNode(node: string, fault: NodeFaultRequest): Promise<Fault> {
    return asFault(await this.#connection.json('PUT', this.#ofNode(node), { body: fault }));
  }

  async healNode(node: string): Promise<void> {
    await this.#connection.send('DELETE', this.#ofNode(node));
  }

  /** Heals all links and nodes. */
  async healAll(): Promise<void> {
    await this.#connection.send('DELETE', `${this.#path}/faults`);
  }

  #ofLink(link: string): string {
    return `${this.#path}/links/${encodeURIComponent(link)}/fault`;
  }

  #ofNode(node: string): string {
    return `${this.#path}/nodes/${encodeURIComponent(node)}/fault`;
  }
}
