/** The nodes of the labs on this machine, to those who want to get into one. */
import type { LabCli } from '../drivers/lab-driver.ts';
import type { NodeAddress, NodeLogOptions } from '../drivers/node-driver.ts';
import type { LabStatus } from '../status/lab-status.ts';
import { startExec, type Exec, type ExecRequest } from './exec.ts';
import { startCapture, type CaptureRequest } from './capture.ts';
import { findNode } from './find-node.ts';
import { getImpairment, putImpairment, removeImpairment, type Impairment } from './impairment.ts';
import { startLog } from './node-log.ts';
import type { NodeSession } from './node-session.ts';
import { SessionLimit } from './session-limit.ts';
import { loadPty, openTerminal, type Terminal, type TerminalSize } from './terminal.ts';

export interface LabNodesDeps {
  readonly status: Pick<LabStatus, 'instance' | 'nodeEntriesOf'>;
  /** The lab CLI that is in use. @throws AppError `lab-cli-missing`. */
  readonly cli: () => LabCli;
  /** For everything that is run for a node. */
  readonly env: () => Record<string, string>;
  /** What stands in front of each of its command lines (`JobUser`). */
  readonly words: readonly string[];
  readonly places: NodePlaces;
}

/** How many may be in nodes at once. */
export interface NodePlaces {
  readonly sessions: SessionLimit;
  readonly terminals: SessionLimit;
}

export function nodePlaces({
  maxNodeSessions,
  maxTerminals,
}: {
  readonly maxNodeSessions: number;
  readonly maxTerminals: number;
}): NodePlaces {
  return {
    sessions: new SessionLimit(maxNodeSessions, {
      one: 'command, log or capture',
      many: 'commands, logs and captures',
      setting: 'LAB_API_MAX_NODE_SESSIONS',
    }),
    terminals: new SessionLimit(maxTerminals, {
      one: 'terminal',
      many: 'terminals',
      setting: 'LAB_API_MAX_TERMINALS',
    }),
  };
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
  readonly #terminals: SessionLimit;

  constructor(deps: LabNodesDeps) {
    this.#deps = deps;
    this.#sessions = deps.places.sessions;
    this.#terminals = deps.places.terminals;
  }

  /** Runs a command in the node, until it has ended, its time is up, or `signal` is aborted. */
  async exec(name: NodeName, request: ExecRequest, signal: AbortSignal): Promise<Exec> {
    return this.#enter(name, signal, 'inside', async (session) => startExec(session, request));
  }

  /** The bytes of a pcap file. @throws AppError `interface-not-found` or `invalid-request` (its filter), too. */
  async capture(
    name: NodeName,
    request: CaptureRequest,
    signal: AbortSignal,
  ): Promise<AsyncIterable<Buffer>> {
    return this.#enter(name, signal, 'inNetwork', async (session) => startCapture(session, request));
  }

  /** What the node has printed, and prints. */
  async log(name: NodeName, options: NodeLogOptions, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const address = await this.#address(name);
    const program = this.#deps.cli().driver.nodes.log(address, options);
    return this.#keep(async (leave) =>
      startLog({ way: this.#deps.words, node: name.node, env: this.#deps.env(), signal, leave }, program),
    );
  }

  /** How an interface is impaired, for what leaves the node there. @throws AppError `interface-not-found`, too. */
  async impairment(name: NodeName, ifname: string, signal: AbortSignal): Promise<Impairment | undefined> {
    return this.#visit(name, signal, async (session) => getImpairment(session, ifname));
  }

  async impair(
    name: NodeName,
    ifname: string,
    impairment: Impairment,
    signal: AbortSignal,
  ): Promise<Impairment | undefined> {
    return this.#visit(name, signal, async (session) => putImpairment(session, ifname, impairment));
  }

  async mend(name: NodeName, ifname: string, signal: AbortSignal): Promise<void> {
    return this.#visit(name, signal, async (session) => removeImpairment(session, ifname));
  }

  /** Connects a person with the node. Whoever opens it closes it. */
  async terminal(name: NodeName, size: TerminalSize): Promise<Terminal> {
    const address = await this.#address(name);
    const { nodes: driver } = this.#deps.cli().driver;
    const options = { driver, env: this.#deps.env(), words: this.#deps.words, size };
    return this.#keep(async (leave) => openTerminal(address, { ...options, leave }), this.#terminals);
  }

  /** Throws what `terminal` would throw before it opens anything. */
  async checkTerminal(name: NodeName): Promise<void> {
    await this.#address(name);
    this.#terminals.check();
    await loadPty();
  }

  /** A place for what is started: it gives the place back when it ends, unless it does not even begin. */
  async #keep<T>(start: (leave: () => void) => Promise<T>, places = this.#sessions): Promise<T> {
    const leave = places.take();
    try {
      return await start(leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #enter<T>(
    name: NodeName,
    signal: AbortSignal,
    by: 'inside' | 'inNetwork',
    start: (session: NodeSession) => Promise<T>,
  ): Promise<T> {
    const address = await this.#address(name);
    const way = [...this.#deps.words, ...this.#deps.cli().driver.nodes[by](address)];
    const { node } = name;
    return this.#keep(async (leave) => start({ way, node, env: this.#deps.env(), signal, leave }));
  }

  /** For what is over when the answer is there. */
  async #visit<T>(
    name: NodeName,
    signal: AbortSignal,
    ask: (session: NodeSession) => Promise<T>,
  ): Promise<T> {
    return this.#enter(name, signal, 'inNetwork', async (session) => {
      try {
        return await ask(session);
      } finally {
        session.leave();
      }
    });
  }

  async #address({ lab, node }: NodeName): Promise<NodeAddress> {
    const { file } = this.#deps.cli();
    return { cli: file, lab, node, entry: await findNode(this.#deps.status, lab, node) };
  }
}
