import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createLabs } from '../../src/labs/create-labs.ts';
import { WorkspacePlaces } from '../../src/labs/workspaces/workspace-places.ts';
import { noLimit } from '../../src/labs/nodes/node-places.ts';
import { container } from './containerlab-recorded.ts';
import { writeProgram } from './programs.ts';
import { noOwnJobs } from './own-jobs.ts';

/** Directories of labs, by their ids. */
type Places = Readonly<Record<string, string>>;

/**
 * A machine with netlab and containerlab, in the process of the test: programs that print which labs a test wants them to
 * have, and run `hooks/NAME` before. Each run is on record.
 */
export class MachineOfLabs {
  readonly directory: string;

  constructor(root: string) {
    this.directory = realpathSync(mkdtempSync(path.join(root, 'machine-')));
    for (const name of ['home/.netlab', 'hooks', 'labs'])
      mkdirSync(path.join(this.directory, name), { recursive: true });
    const run = (name: string): string =>
      `echo "$*" >>'${this.at(`${name}.runs`)}'; [ ! -e '${this.at(`hooks/${name}`)}' ] || . '${this.at(`hooks/${name}`)}'`;
    const list = '"$HOME/.netlab/status.yaml"';
    const answers = [
      'version) echo netlab version 26.10 ;;',
      'inspect) cat netlab.snapshot.pickle ;;',
      'validate) cat tests.txt ;;',
      `*) [ "$2" = --instance ] && exec cat "$HOME/.netlab/$3.json"`,
      `[ -e ${list} ] || { echo '{"warning": "No labs"}'; exit 1; }`,
      `cat ${list} ;;`,
    ];
    writeProgram(this.at('bin/netlab'), [run('netlab'), 'case $1 in', ...answers, 'esac'].join('\n'));
    writeProgram(this.at('bin/containerlab'), `${run('containerlab')}\ncat '${this.at('labs.json')}'`);
    writeProgram(this.at('bin/docker'), 'exit 0');
    this.containerlabHas({});
  }

  /** Without PATH. The default runtime would depend on the programs of the machine that runs the tests. */
  get env() {
    return { HOME: this.at('home'), LAB_API_RUNTIME: 'containers' };
  }

  /** A path on it. */
  at(relative: string): string {
    return path.join(this.directory, relative);
  }

  /** A new directory. */
  place(name: string): string {
    mkdirSync(this.at(name), { recursive: true });
    return this.at(name);
  }

  netlabHas(places: Places): void {
    const entries = Object.entries(places).map(([id, dir]): [string, object] => [
      id,
      { dir, name: id, providers: ['clab'], status: 'started' },
    ]);
    for (const [id, entry] of entries) {
      const node = { device: 'linux', provider: 'clab', status: 'Up 4 seconds' };
      writeFileSync(this.at(`home/.netlab/${id}.json`), JSON.stringify({ ...entry, nodes: { h1: node } }));
    }
    const file = this.at('home/.netlab/status.yaml');
    if (entries.length === 0) rmSync(file, { force: true });
    else writeFileSync(file, JSON.stringify(Object.fromEntries(entries)));
  }

  containerlabHas(places: Places): void {
    this.#tell(Object.entries(places).map(([id, directory]) => [id, [container('r1', directory, id)]]));
  }

  /** A lab that netlab has started by way of it: it tells of it, too, and netlab's files are beside it. */
  containerlabRuns(id: string, directory: string): void {
    const { Labels, ...facts } = container('r1', directory, id);
    const topology = path.join(directory, 'clab.yml');
    writeFileSync(path.join(directory, 'netlab.snapshot.pickle'), '');
    this.#tell([[id, [{ ...facts, Labels: { ...Labels, 'clab-topo-file': topology } }]]]);
  }

  #tell(labs: readonly (readonly [string, readonly unknown[]])[]): void {
    writeFileSync(this.at('labs.json'), JSON.stringify(Object.fromEntries(labs)));
  }

  /** What the lab CLI does before it answers: shell commands. */
  hook(name: 'netlab' | 'containerlab', script: string): void {
    writeFileSync(this.at(`hooks/${name}`), script);
  }

  /** The arguments of each run. */
  runsOf(name: 'netlab' | 'containerlab'): readonly string[] {
    return readFileSync(this.at(`${name}.runs`), { encoding: 'utf8', flag: 'a+' })
      .split('\n')
      .slice(0, -1);
  }

  labs(changes: Partial<Parameters<typeof createLabs>[0]> = {}): ReturnType<typeof createLabs> {
    return createLabs({
      cli: 'netlab',
      env: { ...this.env, PATH: `${this.at('bin')}:/usr/bin:/bin` },
      roots: [],
      topologyHosts: [],
      dataDir: this.at('data'),
      statusMaxAgeMs: 60_000,
      statusTimeoutMs: 30_000,
      nodePlaces: noLimit,
      shutdown: new AbortController().signal,
      workspaces: new WorkspacePlaces(this.at('workspaces')),
      makeWorkspace: async () => undefined,
      ownJobs: noOwnJobs,
      ...changes,
    });
  }
}

/** Such a machine with the lab `one` of netlab and `two` of containerlab, their directories, and a service for both. */
export function machineOfTwoLabs(root: string) {
  const machine = new MachineOfLabs(root);
  const [ofNetlab, ofContainerlab] = [machine.place('labs/one'), machine.place('labs/two')];
  machine.netlabHas({ one: ofNetlab });
  machine.containerlabHas({ two: ofContainerlab });
  return { machine, ofNetlab, ofContainerlab, ...machine.labs({ moreClis: ['containerlab'] }) };
}
