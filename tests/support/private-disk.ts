import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { systemCode } from '../../src/lib/app-error.ts';
import { eventually } from './eventually.ts';
import { makeGround, startProgram, type Ground, type RunningProgram } from './service.ts';

/** Why there can be no private disk here; undefined when there can. */
export const privateDiskMissing: string | undefined =
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0
    ? undefined
    : 'only root can mount with unshare';

/** A small disk of its own below a ground's data directory. Only what is started on it sees it. */
export class PrivateDisk {
  readonly ground: Ground = makeGround();
  /** Keeps the mount namespace while no service is there; the ground's end is its end. */
  readonly #holder: number;

  private constructor() {
    const { dataDir, env } = this.ground;
    mkdirSync(dataDir);
    const script = 'mount -t tmpfs -o size=1m,mode=700 none "$1" && exec sleep 1000';
    const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', dataDir], { env, stdio: 'ignore' });
    this.#holder = child.pid ?? 0;
  }

  static async make(): Promise<PrivateDisk> {
    const disk = new PrivateDisk();
    const mounts = `/proc/${disk.#holder}/mounts`;
    await eventually('the disk', () =>
      readFileSync(mounts, 'utf8').includes(` ${disk.ground.dataDir} tmpfs`),
    );
    return disk;
  }

  /** A command that ends in running what follows it, on this disk. */
  get through(): readonly string[] {
    return ['nsenter', `--mount=/proc/${this.#holder}/ns/mnt`, '--'];
  }

  async startProgram(): Promise<RunningProgram> {
    return startProgram({
      ground: this.ground,
      through: this.through,
      env: { LAB_API_MIN_FREE_DISK: '64KiB' },
    });
  }

  /** The path by which this process, outside, sees a file of the data directory. */
  outside(name: string): string {
    return path.join(`/proc/${this.#holder}/root`, this.ground.dataDir, name);
  }

  record(id: string): Record<string, unknown> {
    return JSON.parse(readFileSync(this.outside(`jobs/${id}/job.json`), 'utf8')) as Record<string, unknown>;
  }

  /** Takes every byte that is free. */
  fill(): void {
    const file = openSync(this.outside('filler'), 'a');
    try {
      for (;;) writeSync(file, Buffer.alloc(4096));
    } catch (error) {
      if (systemCode(error) !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  makeRoom(): void {
    rmSync(this.outside('filler'));
  }

  /** As after an I/O error: what is open for writing stays so, and nothing more can be opened. */
  makeReadOnly(): void {
    this.#run('mount', '--bind', '-o', 'ro', this.ground.dataDir, this.ground.dataDir);
  }

  makeWritable(): void {
    this.#run('umount', this.ground.dataDir);
  }

  #run(...command: readonly string[]): void {
    const [file = '', ...args] = [...this.through, ...command];
    execFileSync(file, args);
  }
}
