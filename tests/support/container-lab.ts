/** Labs of the runtime of namespaces: the programs that stand in for containerlab and docker, called as netlab calls them. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll } from '@jest/globals';
import { uniqueInstance } from './engine-cli.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const standIns = path.resolve('dist/engine/runtime');

/** The arguments with which netlab calls containerlab. */
export const deploy = ['deploy', '--reconfigure', '-t', 'clab.yml'];
export const destroy = ['destroy', '--cleanup', '-t', 'clab.yml'];

interface Result {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const image = ', image: "python:3.13-alpine"';

/** A directory with the programs of this machine, except for Docker and containerlab, which would be asked as well. */
function programsWithoutDocker(root: string): string {
  const directory = path.join(root, 'programs');
  if (existsSync(directory)) return directory;
  mkdirSync(directory);
  const others = new Set(['docker', 'containerlab']);
  for (const place of ['/usr/sbin', '/usr/bin'])
    for (const name of readdirSync(place).filter(
      (file) => !others.has(file) && !existsSync(path.join(directory, file)),
    ))
      symlinkSync(path.join(place, name), path.join(directory, name));
  return directory;
}

/** A lab of hosts, each linked to the next, in a directory of its own. */
export class ContainerLab {
  readonly name = uniqueInstance('c');
  readonly directory: string;
  /** LAB_HOME. */
  home: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(root: string, nodes: readonly string[], more: Readonly<Record<string, string>> = {}) {
    this.directory = path.join(root, this.name);
    mkdirSync(this.directory, { recursive: true });
    this.home = path.join(root, 'home');
    const PATH = `${standIns}:${programsWithoutDocker(root)}`;
    this.#env = {
      PATH,
      // There is none unless a test makes one.
      LAB_NETLAB: path.join(this.directory, 'netlab'),
      LAB_RUNTIME: 'namespaces',
      LAB_NODE: process.execPath,
    };
    const lines = nodes.map(
      (node, index) =>
        `    ${node}: { kind: linux, mgmt-ipv4: 192.168.121.${index + 1}${more[node]?.includes('image:') ? '' : image}${more[node] ?? ''} }`,
    );
    const links = nodes.slice(1).map((node, index) => `    - endpoints: ["${nodes[index]}:r", "${node}:l"]`);
    const text = `name: ${this.name}\nmgmt: { ipv4-subnet: 192.168.121.0/24 }\ntopology:\n  nodes:\n${lines.join('\n')}\n  links:\n${links.join('\n')}\n`;
    writeFileSync(path.join(this.directory, 'clab.yml'), text);
  }

  container(node: string): string {
    return `clab-${this.name}-${node}`;
  }

  get records(): string {
    return `/run/lab-engine/clab.${this.name}`;
  }

  /** The pid of the first process of a node, as the machine counts. */
  pidOf(node: string): number {
    const file = path.join(this.records, 'nodes', this.container(node), 'pid');
    return Number(readFileSync(file, 'utf8').split(' ')[0]);
  }

  async run(
    program: 'containerlab' | 'docker' | 'netlab' | 'sudo',
    ...args: readonly string[]
  ): Promise<Result> {
    return new Promise((resolve) => {
      const options = { cwd: this.directory, env: { ...this.#env, LAB_HOME: this.home } };
      execFile(path.join(standIns, program), args, options, (error, stdout, stderr) => {
        resolve({ exitCode: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
    });
  }

  start(...args: readonly string[]): ChildProcess {
    const options = {
      cwd: this.directory,
      env: { ...this.#env, LAB_HOME: this.home },
      stdio: 'ignore',
    } as const;
    return spawn(path.join(standIns, 'containerlab'), args, options);
  }

  /** Everything that the machine still has of the lab: names of namespaces, claims, processes. */
  leftovers(): string[] {
    const named = (directory: string): string[] =>
      existsSync(directory) ? readdirSync(directory).filter((entry) => entry.includes(this.name)) : [];
    const processes = readdirSync('/proc').filter((pid) => {
      try {
        return (
          /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`clab.${this.name}/`)
        );
      } catch {
        return false;
      }
    });
    return [...named('/run/netns'), ...named('/run/lab-engine'), ...processes.map((pid) => `process ${pid}`)];
  }
}

/** Makes labs for the tests of a file, below a directory of their own. At the end, they are destroyed. */
export function containerLabs() {
  const labs: ContainerLab[] = [];
  // Before the directory with their files is removed.
  afterAll(async () => {
    for (const lab of labs) await lab.run('containerlab', 'destroy');
  });
  const root = temporaryDirectory();
  const keep = (lab: ContainerLab): ContainerLab => {
    labs.push(lab);
    return lab;
  };
  const labOf = (nodes: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    keep(new ContainerLab(root, nodes, more));
  return { root, labOf, keep };
}
