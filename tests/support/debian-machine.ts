import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from './eventually.ts';
import { runCommand } from './service.ts';

/** Where `.ci/run` has put a root of Debian 12 (`bookworm`) and of Debian 13 (`trixie`), with systemd. */
const roots = process.env['LAB_TEST_DEBIAN'];

interface Ended {
  readonly code: number | null;
  /** Standard output and standard error, as they came. */
  readonly output: string;
}

/** Why no Debian can be started here; undefined when it can. */
export const missingForDebian =
  roots === undefined || !existsSync(path.join(roots, 'trixie'))
    ? 'LAB_TEST_DEBIAN names no directory with roots of Debian; CONTRIBUTING.md says how to make them'
    : undefined;

/** A machine with Debian: systemd is process 1 of namespaces of its own. It has no network but its own loopback interface. */
export class DebianMachine {
  readonly root: string;
  #systemd: ChildProcess | undefined;
  #processOne = 0;

  constructor(root: string) {
    this.root = root;
  }

  /** Copies the root of this release of Debian to `root`, and starts it. */
  async start(release: string): Promise<void> {
    execFileSync('cp', ['-a', path.join(roots ?? '', release), this.root]);
    // The installer of Debian writes it, debootstrap does not.
    writeFileSync(path.join(this.root, 'etc/hosts'), '127.0.0.1 localhost\n');
    const namespaces = ['--mount', '--pid', '--net', '--uts', '--ipc', '--cgroup', '--fork', '--kill-child'];
    const script = path.join(__dirname, 'boot-debian.sh');
    const systemd = spawn('unshare', [...namespaces, script, this.root], { stdio: 'ignore' });
    this.#systemd = systemd;
    this.#processOne = await eventually('process 1 is there', () => {
      const children = readFileSync(`/proc/${systemd.pid}/task/${systemd.pid}/children`, 'utf8');
      return Number(children.trim().split(' ')[0]) || undefined;
    });
    // The start of the other services may fail here; it ends all the same.
    await eventually('systemd has started', async () =>
      /^(?:running|degraded)$/m.test((await this.run('systemctl is-system-running')).output),
    );
  }

  /** Runs a command of the shell on the machine, as root. */
  async run(command: string): Promise<Ended> {
    const variables = ['PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'HOME=/root', 'DEBIAN_FRONTEND=noninteractive'];
    const words = ['-t', String(this.#processOne), '--all', 'env', '-i', ...variables, 'sh', '-c', command];
    const inside = runCommand(['nsenter', ...words], { PATH: process.env['PATH'] }, '/');
    return { code: await inside.exit, output: inside.output() };
  }

  async stop(): Promise<void> {
    if (this.#systemd === undefined || this.#systemd.exitCode !== null) return;
    const ended = once(this.#systemd, 'exit');
    // Process 1 ends with it (--kill-child), and all other processes of the PID namespace with that.
    this.#systemd.kill('SIGKILL');
    await ended;
  }
}
