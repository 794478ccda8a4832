/** The programs of OpenSSH, as users run them against the gateway. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from './client.ts';

export interface SshResult {
  readonly code: number | null;
  readonly out: Buffer;
  readonly said: string;
}

/** A program that runs, and its end. */
export interface SshRun {
  readonly child: ChildProcess;
  readonly ended: Promise<SshResult>;
  readonly out: () => string;
  readonly said: () => string;
}

export interface SshLogin {
  /** A token, or `USER:PASSWORD`. */
  readonly password?: string;
  /** A file with a private key. */
  readonly key?: string;
}

export class OpenSsh {
  readonly config: string;
  readonly #environment: Record<string, string>;

  /** `info`: the `ssh` of `GET /`. The configuration knows the server as `gateway`. */
  constructor(
    root: string,
    info: { readonly port: number; readonly hostKey: string },
    { password, key }: SshLogin = {},
  ) {
    const directory = mkdtempSync(path.join(root, 'ssh-'));
    const file = (name: string): string => path.join(directory, name);
    writeFileSync(file('known_hosts'), `[127.0.0.1]:${info.port} ${info.hostKey}\n`);
    const lines = [
      'Host gateway',
      '  HostName 127.0.0.1',
      `  Port ${info.port}`,
      '  StrictHostKeyChecking yes',
      `  UserKnownHostsFile ${file('known_hosts')}`,
      '  IdentitiesOnly yes',
      '  IdentityAgent none',
      '  LogLevel ERROR',
      '  NumberOfPasswordPrompts 1',
      ...(key === undefined ? ['  IdentityFile none'] : [`  IdentityFile ${key}`]),
    ];
    this.config = file('config');
    writeFileSync(this.config, `${lines.join('\n')}\n`);
    writeFileSync(file('password'), password ?? '');
    writeFileSync(file('askpass'), `#!/bin/sh\ncat '${file('password')}'\n`, { mode: 0o700 });
    this.#environment = {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      HOME: directory,
      SSH_ASKPASS: file('askpass'),
      SSH_ASKPASS_REQUIRE: 'force',
    };
  }

  start(program: string, args: readonly string[], input?: Buffer | string): SshRun {
    const stdin = input === undefined ? 'ignore' : 'pipe';
    const child = spawn(program, ['-F', this.config, ...args], {
      env: this.#environment,
      stdio: [stdin, 'pipe', 'pipe'],
    });
    const out: Buffer[] = [];
    const said: Buffer[] = [];
    child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr?.on('data', (chunk: Buffer) => said.push(chunk));
    child.stdin?.on('error', () => undefined);
    if (input !== undefined) child.stdin?.end(input);
    const text = (chunks: readonly Buffer[]) => () => Buffer.concat(chunks).toString('utf8');
    const ended = once(child, 'close').then(([code]) => ({
      code: code as number | null,
      out: Buffer.concat(out),
      said: text(said)(),
    }));
    return { child, ended, out: text(out), said: text(said) };
  }

  /** A command in the node, with this on its standard input. */
  async run(node: string, command: string, input?: Buffer | string): Promise<SshResult> {
    return this.start('ssh', [`${node}@gateway`, command], input).ended;
  }
}

/** How the service is reached over SSH. */
export async function sshInfoOf(
  service: Client,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly port: number; readonly hostKey: string; readonly fingerprint: string }> {
  return (await service.get('/', headers)).json.ssh;
}

/** Why nodes of the bundled engine, which share the programs of this machine, have no SFTP; undefined when they have. */
export function sftpServerMissing(): string | undefined {
  const places = ['/usr/lib/openssh', '/usr/lib/ssh', '/usr/libexec/openssh', '/usr/libexec'];
  const isThere = places.some((directory) => existsSync(path.join(directory, 'sftp-server')));
  return isThere ? undefined : 'there is no sftp-server';
}
