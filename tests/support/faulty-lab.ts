/** A lab whose nodes are directories: a program in place of ip(8) sets their interfaces up and down, and faults are set in it. */
import { afterEach, beforeEach } from '@jest/globals';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { FaultNews } from '../../src/faults/fault-changes.ts';
import type { FaultChange } from '../../src/faults/fault-service.ts';
import { LabFaults } from '../../src/faults/lab-faults.ts';
import type { LabTopology } from '../../src/labs/drivers/topology.ts';
import type { WantedFault } from '../../src/labs/model/fault.ts';
import { AppError } from '../../src/lib/app-error.ts';
import { MemoryLogger } from './memory-logger.ts';
import { writeProgram } from './programs.ts';
import { sessionHere } from './session-here.ts';
import { temporaryDirectory } from './temporary-directory.ts';
import { bareNode } from './bare-node.ts';

const lab = { id: 'default', cli: 'netlab' };
const none = { ipv4: null, ipv6: null };
const ends = (...nodes: readonly string[]) =>
  nodes.map((end) => {
    const [node = '', name = ''] = end.split(':');
    return { node, interface: name, ...none };
  });
const topology: LabTopology = {
  nodes: ['r1', 'r2'].map(bareNode),
  links: [
    { id: '1', type: 'p2p', prefix: none, endpoints: ends('r1:eth1', 'r2:eth1') },
    { id: '2', type: 'p2p', prefix: none, endpoints: ends('r1:eth2', 'r2:eth2') },
  ],
};

/** Interfaces that are down have a file. `refuse` has nodes and states that they do not take. */
const ip = `cd "$GROUND"
case "$*" in
'-j addr show')
  for name in eth1 eth2; do
    flags='"UP"'; [ -e "$NODE.$name" ] && flags=
    list="\${list:+$list,}{\\"ifname\\":\\"$name\\",\\"flags\\":[$flags],\\"addr_info\\":[]}"
  done
  echo "[$list]" ;;
'link set dev '*)
  cp faults.json then.json 2>/dev/null
  echo "$NODE $4 $5" >>done
  if grep -qsx "$NODE $5" refuse; then echo 'it does not want' >&2; exit 2; fi
  case $5 in down) : >"$NODE.$4" ;; up) rm -f "$NODE.$4" ;; esac ;;
esac`;

export class FaultyLab {
  readonly lab = lab;
  change: FaultChange = { user: 'alice', check: () => undefined };
  /** Another one when the lab is started anew. */
  run = '1';
  /** The nodes that are not up. */
  gone: ReadonlySet<string> = new Set();
  isStatusKnown = true;
  uptimeMs = 1_000;
  /** Jobs that have not ended. */
  running = new Set<string>();
  news: FaultNews[] = [];
  faults: LabFaults;
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    writeProgram(this.file('ip'), ip);
    writeProgram(this.file('readlink'), 'echo net:[1]');
    this.faults = this.newFaults();
  }

  newFaults(): LabFaults {
    return new LabFaults({
      file: this.file('faults.json'),
      labs: {
        list: async () => {
          if (!this.isStatusKnown) throw new AppError('lab-cli-timeout', 'netlab did not answer');
          return Promise.resolve([{ ...lab, directory: '/labs/demo', run: this.run }]);
        },
        topologyOf: async () => Promise.resolve(topology),
        inNode: async (_lab, node, use) => {
          if (this.gone.has(node)) throw new AppError('lab-not-up', `${node} is not up`);
          const ground = this.#directory;
          const env = { PATH: `${ground}:/usr/bin:/bin`, GROUND: ground, NODE: node };
          return use(sessionHere({ node, env }).session);
        },
      },
      isRunning: (job) => this.running.has(job),
      tell: (_lab, one) => this.news.push(one),
      log: new MemoryLogger(),
      uptimeMs: () => this.uptimeMs,
    });
  }

  file(name: string): string {
    return path.join(this.#directory, name);
  }

  /** The interfaces that are down. */
  down(): string[] {
    const all = ['r1.eth1', 'r1.eth2', 'r2.eth1', 'r2.eth2'];
    return all.filter((name) => existsSync(this.file(name)));
  }

  /** Nodes and states that they do not take: `r1 up`. */
  refuse(what: string): void {
    writeFileSync(this.file('refuse'), what);
  }

  onDisk(name = 'faults.json'): readonly { readonly state: string }[] {
    return (JSON.parse(readFileSync(this.file(name), 'utf8')) as { faults: { state: string }[] }).faults;
  }

  async set(changes: Partial<WantedFault> = {}) {
    return this.faults.set(lab, wantedFault(changes), this.change);
  }

  async isolate(node: string) {
    return this.set({ link: null, node, kind: 'isolated' });
  }

  async heal(link: string | null, node: string | null = null): Promise<void> {
    await this.faults.heal(lab, { link, node }, this.change);
  }

  async healAll(): Promise<void> {
    await this.faults.heal(lab, undefined, this.change);
  }

  told(): string[] {
    return this.news.map((one) => ('why' in one ? `${one.fault.link ?? ''} ${one.why}` : 'set'));
  }
}

export function wantedFault(changes: Partial<WantedFault> = {}): WantedFault {
  const usual = { link: '1', node: null, kind: 'down', process: null, impairment: null } as const;
  return { ...usual, ttlSeconds: undefined, ...changes };
}

/** Gives the lab of the test that runs. */
export function faultyLab(): () => FaultyLab {
  const root = temporaryDirectory();
  let now: FaultyLab | undefined;
  beforeEach(async () => {
    now = new FaultyLab(mkdtempSync(path.join(root, 'case-')));
    await now.faults.open();
  });
  afterEach(async () => now?.faults.stop());
  return () => {
    if (now === undefined) throw new Error('no test runs');
    return now;
  };
}
