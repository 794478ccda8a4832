/** A node of a lab on this machine: commands, packets, its log, terminals and impairments. */
import { AppError } from '../../lib/app-error.ts';
import { isMapping, type Mapping } from '../../lib/mapping.ts';
import type { LabCli } from '../drivers/lab-driver.ts';
import type { NodeAddress, NodeLogOptions } from '../drivers/node-driver.ts';
import type { LabStatus } from '../status/lab-status.ts';
import { readConfiguration } from './configuration.ts';
import { startExec, type Exec, type ExecRequest } from './exec.ts';
import { startCapture, type CaptureRequest } from './capture.ts';
import type { Impairment } from '../model/impairment.ts';
import { getImpairment, putImpairment, removeImpairment } from './impairment.ts';
import { startLog } from './node-log.ts';
import { NodeDialer } from './dialer.ts';
import type { NodePlaces } from './node-places.ts';
import type { NodeSession } from './node-session.ts';
import { startPiped, type PipedCommand } from './piped-command.ts';
import { loadPty, openTerminal, type Terminal, type WantedTerminal } from './terminal.ts';

const listedMax = 20;

/**
 * Returns the nodes of the lab by name, in the order of the lab CLI.
 * @throws AppError `instance-not-found` or `lab-not-up`; and what the status throws.
 */
export async function nodesIn(
  status: Pick<LabStatus, 'instance' | 'nodeEntriesOf'>,
  lab: string,
): Promise<Mapping> {
  const { body } = await status.instance(lab, 'json', { fresh: false });
  const nodes = status.nodeEntriesOf(body);
  if (nodes === undefined)
    throw new AppError('lab-not-up', `the lab ${lab} is not up, so its nodes cannot be entered`);
  return nodes;
}

/** Names for a sentence. */
export function listOf(names: readonly string[]): string {
  return `${names.slice(0, listedMax).join(', ')}${names.length > listedMax ? ', …' : ''}`;
}

/** Returns the node from the topology document of the lab. @throws AppError `node-not-found`, and as `nodesIn`. */
async function findNode(status: LabNodeDeps['status'], lab: string, node: string): Promise<Mapping> {
  const nodes = await nodesIn(status, lab);
  const entry = Object.hasOwn(nodes, node) ? nodes[node] : undefined;
  if (isMapping(entry)) return entry;
  const message = `the lab ${lab} has no node "${node}"; its nodes are ${listOf(Object.keys(nodes))}`;
  throw new AppError('node-not-found', message);
}

export interface LabNodeDeps {
  readonly status: Pick<LabStatus, 'instance' | 'nodeEntriesOf'>;
  /** The lab CLI that is in use. @throws AppError `lab-cli-missing`. */
  readonly cli: () => LabCli;
  /** For everything that is run for a node. */
  readonly env: () => Record<string, string>;
  /** The words in front of each command line (`JobUser`). */
  readonly words: readonly string[];
  readonly places: NodePlaces;
}

/** Which node. */
export interface NodeName {
  readonly lab: string;
  readonly node: string;
}

/** Every method throws `instance-not-found`, `node-not-found`, `lab-not-up`, `not-supported`, `too-many-sessions` and `lab-cli-*`. */
export class LabNode {
  readonly #deps: LabNodeDeps;
  readonly #name: NodeName;
  readonly #assertMayChange: () => void;

  constructor(deps: LabNodeDeps, name: NodeName, assertMayChange: () => void = () => undefined) {
    this.#deps = deps;
    this.#name = name;
    this.#assertMayChange = assertMayChange;
  }

  /** Runs a command in the node, until it has ended, its time is up, or `signal` is aborted. */
  async exec(request: ExecRequest, signal: AbortSignal): Promise<Exec> {
    this.#assertMayChange();
    return this.#enter(signal, 'inside', async (session) => startExec(session, request));
  }

  /** Runs a command whose streams are the client's, until it has ended or `signal` is aborted. */
  async pipe(program: readonly string[], signal: AbortSignal): Promise<PipedCommand> {
    this.#assertMayChange();
    const { driver } = this.#deps.cli();
    return this.#enter(signal, 'inside', async (session) =>
      startPiped(session, program, driver.nodes.runsOnMachine ? [...this.#deps.words] : session.way),
    );
  }

  /** Resolves when the node is there. */
  async look(): Promise<void> {
    await this.#address();
  }

  /** Makes TCP connections that begin in the node, until it is closed or `signal` is aborted. */
  async dialer(signal: AbortSignal): Promise<NodeDialer> {
    this.#assertMayChange();
    return this.#enter(signal, 'inNetwork', async (session) => Promise.resolve(new NodeDialer(session)));
  }

  /** The bytes of a pcap file. @throws AppError `interface-not-found` or `invalid-request` (its filter), too. */
  async capture(request: CaptureRequest, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    this.#assertMayChange();
    return this.#enter(signal, 'inNetwork', async (session) => startCapture(session, request));
  }

  /** The output of the node: what it has printed, and with `follow` what it prints. */
  async log(options: NodeLogOptions, signal: AbortSignal): Promise<AsyncIterable<Buffer>> {
    const address = await this.#address();
    const program = this.#deps.cli().driver.nodes.log(address, options);
    const { node } = this.#name;
    return this.#keep(async (leave) =>
      startLog({ way: this.#deps.words, node, env: this.#deps.env(), signal, leave }, program),
    );
  }

  /** The running configuration of the node, as text. */
  async configuration(signal: AbortSignal): Promise<Buffer> {
    this.#assertMayChange();
    const { inside, ...command } = this.#deps.cli().driver.nodes.configuration(await this.#address());
    const { words, env } = this.#deps;
    const session = { way: [...words, ...inside], node: this.#name.node, env: env(), signal };
    return this.#keep(async (leave) => readConfiguration({ ...session, leave }, { inside, ...command }));
  }

  /** How an interface is impaired, for packets that leave the node there. @throws AppError `interface-not-found`, too. */
  async impairment(ifname: string, signal: AbortSignal): Promise<Impairment | undefined> {
    return this.#visit(signal, async (session) => getImpairment(session, ifname));
  }

  async impair(ifname: string, impairment: Impairment, signal: AbortSignal): Promise<Impairment | undefined> {
    this.#assertMayChange();
    return this.#visit(signal, async (session) => putImpairment(session, ifname, impairment));
  }

  async mend(ifname: string, signal: AbortSignal): Promise<void> {
    this.#assertMayChange();
    return this.#visit(signal, async (session) => removeImpairment(session, ifname));
  }

  /** Runs programs of this machine in the network of the node, beside the sessions of users and their limit. */
  async inNetwork<T>(signal: AbortSignal, use: (session: NodeSession) => Promise<T>): Promise<T> {
    this.#assertMayChange();
    return use({ ...(await this.#way('inNetwork')), signal, leave: () => undefined });
  }

  /** Connects a person with the node. The caller closes the terminal. */
  async terminal(wanted: WantedTerminal): Promise<Terminal> {
    this.#assertMayChange();
    const address = await this.#address();
    const { nodes: driver } = this.#deps.cli().driver;
    const options = { driver, env: this.#deps.env(), words: this.#deps.words, wanted };
    const open = async (leave: () => void): Promise<Terminal> => {
      const terminal = await openTerminal(address, { ...options, leave });
      // Ansible opens one after the other, and to end what is left takes longer than such a session.
      void terminal.ended.then(leave);
      return terminal;
    };
    return this.#keep(open, this.#deps.places.terminals);
  }

  /** @throws AppError for a node that this user may not enter, or that is not there. */
  async check(): Promise<void> {
    this.#assertMayChange();
    await this.#address();
  }

  /** Throws the errors that `terminal` would throw before it opens anything. */
  async checkTerminal(): Promise<void> {
    await this.check();
    this.#deps.places.terminals.check();
    await loadPty();
  }

  /** Takes a place for a program, which gives it back when it ends, or when it does not start at all. */
  async #keep<T>(start: (leave: () => void) => Promise<T>, places = this.#deps.places.sessions): Promise<T> {
    const leave = places.take();
    try {
      return await start(leave);
    } catch (error) {
      leave();
      throw error;
    }
  }

  async #enter<T>(
    signal: AbortSignal,
    by: 'inside' | 'inNetwork',
    start: (session: NodeSession) => Promise<T>,
  ): Promise<T> {
    const way = await this.#way(by);
    return this.#keep(async (leave) => start({ ...way, signal, leave }));
  }

  async #way(by: 'inside' | 'inNetwork'): Promise<Pick<NodeSession, 'way' | 'node' | 'env'>> {
    const inside = this.#deps.cli().driver.nodes[by](await this.#address());
    return { way: [...this.#deps.words, ...inside], node: this.#name.node, env: this.#deps.env() };
  }

  /** For a question that is over when its answer is there. */
  async #visit<T>(signal: AbortSignal, ask: (session: NodeSession) => Promise<T>): Promise<T> {
    return this.#enter(signal, 'inNetwork', async (session) => {
      try {
        return await ask(session);
      } finally {
        session.leave();
      }
    });
  }

  async #address(): Promise<NodeAddress> {
    const { lab, node } = this.#name;
    const { file: cli } = this.#deps.cli();
    const entry = await findNode(this.#deps.status, lab, node);
    return { cli, lab, node, entry, isOtherUser: this.#deps.words.length > 0 };
  }
}
