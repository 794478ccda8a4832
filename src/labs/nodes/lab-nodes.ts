/** The nodes of the labs on this machine, to those who want to get into one. */
import type { LabCli } from '../drivers/lab-driver.ts';
import type { NodeAddress } from '../drivers/node-driver.ts';
import type { LabStatus } from '../status/lab-status.ts';
import { startExec, type Exec, type ExecRequest } from './exec.ts';
import { findNode } from './find-node.ts';
import { SessionLimit } from './session-limit.ts';

export interface LabNodesDeps {
  readonly status: Pick<LabStatus, 'instance'>;
  /** The lab CLI that is in use. @throws AppError `lab-cli-missing`. */
  readonly cli: () => LabCli;
  /** For everything that is run for a node. */
  readonly env: () => Record<string, string>;
  readonly maxSessions: number;
}

/** Which node. */
export interface NodeName {
  readonly lab: string;
  readonly node: string;
}

/** All of it throws `instance-not-found`, `node-not-found`, `lab-not-up`, `not-supported`, `too-many-sessions` and `lab-cli-*`. */
export class LabNodes {
  readonly #deps: LabNodesDeps;
  readonly #sessions: SessionLimit;

  constructor(deps: LabNodesDeps) {
    this.#deps = deps;
    this.#sessions = new SessionLimit(
      deps.maxSessions,
      'commands, logs and captures are open already (LAB_API_MAX_NODE_SESSIONS)',
    );
  }

  /** Runs a command in the node, until it has ended, its time is up, or `signal` is aborted. */
  async exec(name: NodeName, request: ExecRequest, signal: AbortSignal): Promise<Exec> {
    const address = await this.#address(name);
    const { driver } = this.#deps.cli();
    const way = driver.nodes.inside(address);
    const leave = this.#sessions.take();
    try {
      return await startExec({ way, node: name.node, env: this.#deps.env(), signal, leave }, request);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #address({ lab, node }: NodeName): Promise<NodeAddress> {
    const { file } = this.#deps.cli();
    return { cli: file, lab, node, entry: await findNode(this.#deps.status, lab, node) };
  }
}
