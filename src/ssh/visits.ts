/** The uses of a node by one connection: each is looked up anew, by the rules of HTTP, and each is in the audit. */
import { randomUUID } from 'node:crypto';
import type { AuditEntry } from '../access/model/audit.ts';
import type { Principal } from '../access/model/principal.ts';
import { roleFor, roleMay } from '../access/model/role.ts';
import type { LabNode, NodeName } from '../labs/nodes/lab-node.ts';
import { AppError, messageOf } from '../lib/app-error.ts';
import { errorSpec, type ErrorCode } from '../lib/error-codes.ts';
import type { GatewayDeps } from './model.ts';
import { targetOf } from './target.ts';

/** For the audit, beside the operations of HTTP. The first two are the same there. */
export type SshOperation =
  'openNodeTerminal' | 'execInNode' | 'sftpInNode' | 'connectFromNode' | 'loginOverSsh';

/** How a login or a use of a node ended. */
interface Ended {
  readonly code?: ErrorCode;
  readonly durationMs: number;
  readonly aborted?: true;
}

/** A client may send user names of any length. */
const maxNameLength = 300;

/** The client of a connection, for the audit. */
export interface ClientFacts {
  readonly address: string | undefined;
  /** As the client sent it. */
  readonly userName: string;
  readonly principal?: Principal | undefined;
}

export function auditEntry(
  operation: SshOperation,
  { address, userName, principal }: ClientFacts,
  ended?: Ended,
): AuditEntry {
  const target = targetOf(userName);
  const { code, durationMs, aborted } = ended ?? {};
  return {
    event: ended === undefined ? 'opened' : 'request',
    requestId: randomUUID(),
    ...(principal?.name && { user: principal.name }),
    ...(principal && { role: principal.role, loggedInBy: principal.loggedInBy }),
    ...(principal?.tokenId !== undefined && { tokenId: principal.tokenId }),
    ...(address !== undefined && { address }),
    operation,
    method: 'SSH',
    path: `/ssh/${userName.slice(0, maxNameLength)}`,
    ...(target && { lab: target.lab.slice(0, maxNameLength), node: target.node.slice(0, maxNameLength) }),
    ...(ended && { status: code === undefined ? 200 : errorSpec(code).status }),
    ...(code !== undefined && { error: code }),
    ...(durationMs !== undefined && { durationMs }),
    ...(aborted && { aborted }),
  };
}

interface Visitor {
  readonly client: ClientFacts & { readonly principal: Principal };
  readonly deps: Pick<GatewayDeps, 'partsOf' | 'audit' | 'log'>;
}

export class Visits {
  readonly #visitor: Visitor;

  constructor(visitor: Visitor) {
    this.#visitor = visitor;
  }

  /**
   * Uses the node. `opened` is to be called when it was reached; `gone` tells whether the client has left before the end.
   * @throws AppError with a sentence for the client.
   */
  async use<T>(
    operation: SshOperation,
    gone: AbortSignal,
    work: (node: LabNode, opened: () => void) => Promise<T>,
  ): Promise<T> {
    const { client, deps } = this.#visitor;
    const startedMs = performance.now();
    const note = (code?: ErrorCode): void =>
      deps.audit.note(
        auditEntry(operation, client, {
          durationMs: Math.round(performance.now() - startedMs),
          ...(code !== undefined && { code }),
          ...(gone.aborted && { aborted: true as const }),
        }),
      );
    try {
      const result = await work(await this.#node(), () => {
        deps.audit.note(auditEntry(operation, client));
        deps.log.info('a node is used over SSH', {
          operation,
          user: client.principal.name,
          ...this.#target(),
        });
      });
      note();
      return result;
    } catch (error) {
      const told = await this.#told(error);
      note(told.code);
      throw told;
    }
  }

  #target(): NodeName {
    const target = targetOf(this.#visitor.client.userName);
    if (target) return target;
    const message = 'the user name must be NODE.LAB, such as r1.default: ssh r1.default@server';
    throw new AppError('invalid-request', message);
  }

  /** @throws AppError */
  async #node(): Promise<LabNode> {
    const { client, deps } = this.#visitor;
    const { principal } = client;
    if (!roleMay(principal.role, 'operate')) {
      const who = `${principal.name ?? 'you'} (${principal.role})`;
      throw new AppError(
        'forbidden',
        `this needs the role ${roleFor('operate')}, which ${who} does not have`,
      );
    }
    const { node, lab } = this.#target();
    const { labs } = deps.partsOf(principal);
    return (await labs.find(lab, 'change')).node(node);
  }

  async #told(error: unknown): Promise<AppError> {
    if (error instanceof AppError) return error.code === 'instance-not-found' ? this.#withIds(error) : error;
    this.#visitor.deps.log.error('a node could not be used over SSH', { cause: messageOf(error) });
    return new AppError('internal', 'a fault of the service; its log has the details');
  }

  /** The error, with the ids of the labs that have the wanted id as their name. */
  async #withIds(refusal: AppError): Promise<AppError> {
    const { client, deps } = this.#visitor;
    const { node, lab } = this.#target();
    const { labs } = deps.partsOf(client.principal);
    const { value } = await labs.list({ fresh: false }).catch(() => ({ value: [] }));
    const ids = value.filter(({ name }) => name === lab).map(({ id }) => `${node}.${id}`);
    if (ids.length === 0) return refusal;
    const message = `"${lab}" is the name of a lab; the user name has its id, in the column LAB of "lab labs": ${ids.join(', ')}`;
    return new AppError(refusal.code, message);
  }
}
