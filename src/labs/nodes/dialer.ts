/** TCP connections that begin in the network of a node. A program makes them there (dialer-program.ts). */
import { spawn, type ChildProcess } from 'node:child_process';
import { readlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { AppError, messageOf } from '../../lib/app-error.ts';
import { deferred, type Deferred } from '../../lib/async/deferred.ts';
import { after } from '../../lib/async/disposal.ts';
import { packageFile } from '../../lib/files/package-root.ts';
import { withoutHidden } from '../../lib/processes/hidden-descriptors.ts';
import { wayFailure, type NodeSession } from './node-session.ts';

/** To the program. */
export interface Dial {
  readonly id: number;
  readonly host: string;
  readonly port: number;
}

/** From the program; a connection that is made comes with it. */
export type Dialed =
  { readonly ready: true } | { readonly shared: true } | { readonly id: number; readonly error?: string };

const beginMs = 20_000;
/** Of connections that are asked for and not there yet. */
const maxWaiting = 64;
/** The program has tens of MB; the next connection is quick while it is there. */
const idleMs = 10_000;
const maxWordsBytes = 4 * 1024;

export class NodeDialer {
  readonly #place: NodeSession;
  readonly #child: ChildProcess;
  readonly #begun = deferred<'ready' | 'shared' | 'failed'>();
  readonly #waiting = new Map<number, Deferred<Socket>>();
  readonly #open = new Set<Socket>();
  readonly #ended = deferred<void>();
  #lastId = 0;
  #words = '';
  #stopIdling = (): void => undefined;
  #hasEnded = false;

  /** `place`: in the network of the node. */
  constructor(place: NodeSession) {
    this.#place = place;
    const { way, env } = place;
    const network = readlinkSync('/proc/self/ns/net');
    const program = [process.execPath, packageFile('dist', 'labs', 'nodes', 'dialer-program.js'), network];
    // Standard input is the channel, which all programs on the way hand on. Those that are Node's, too, must not take it for theirs.
    const channel = 'NODE_CHANNEL_FD';
    const words = ['env', '-u', channel, ...way, 'env', `${channel}=0`, 'NODE_OPTIONS=', ...program];
    const [file = '', ...args] = words;
    this.#child = spawn(file, args, {
      env: { ...env },
      cwd: '/',
      detached: true,
      stdio: withoutHidden(['ipc', 'ignore', 'pipe']),
    });
    this.#child.on('message', (message, socket) =>
      this.#hear(message as Dialed, socket as Socket | undefined),
    );
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      if (this.#words.length < maxWordsBytes) this.#words += chunk.toString('utf8');
    });
    this.#child.once('error', (error) => {
      this.#words += messageOf(error);
      this.#end();
    });
    this.#child.once('disconnect', () => this.#end());
    const stop = (): void => this.close();
    place.signal.addEventListener('abort', stop);
    if (place.signal.aborted) stop();
    const stopTimer = after(beginMs, stop);
    void this.#begun.promise.then(stopTimer);
    this.#child.once('close', () => {
      place.signal.removeEventListener('abort', stop);
      place.leave();
    });
  }

  /** Resolves when it can make no more connections: it was not used for a while, or its node has gone. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** A connection, both of whose ends may be closed one by one. @throws AppError when there is none. */
  async connect(host: string, port: number): Promise<Socket> {
    this.#stopIdling();
    if (this.#waiting.size >= maxWaiting)
      throw new AppError('too-many-sessions', `${maxWaiting} connections wait for an answer already`);
    const id = (this.#lastId += 1);
    const made = deferred<Socket>();
    this.#waiting.set(id, made);
    try {
      await this.#assertBegun();
      if (this.#hasEnded) throw this.#goneError();
      const dial: Dial = { id, host, port };
      this.#child.send(dial, (error) => error && made.reject(error));
      return await made.promise;
    } finally {
      this.#waiting.delete(id);
      this.#idle();
    }
  }

  close(): void {
    if (this.#child.connected) this.#child.disconnect();
    else this.#child.kill('SIGKILL');
    this.#end();
  }

  async #assertBegun(): Promise<void> {
    const { node } = this.#place;
    const begun = await this.#begun.promise;
    if (begun === 'shared')
      throw new AppError(
        'not-supported',
        `${node} is in the network of the server itself, which is left alone`,
      );
    if (begun === 'failed') throw wayFailure(node, { words: this.#words });
  }

  #hear(message: Dialed, socket: Socket | undefined): void {
    if ('ready' in message) return this.#begun.resolve('ready');
    if ('shared' in message) return this.#begun.resolve('shared');
    const asked = this.#waiting.get(message.id);
    if (asked === undefined || socket === undefined) {
      socket?.destroy();
      asked?.reject(new AppError('lab-cli-failed', message.error ?? 'the connection has ended already'));
      return;
    }
    socket.allowHalfOpen = true;
    socket.on('error', () => undefined);
    this.#open.add(socket);
    socket.once('close', () => {
      this.#open.delete(socket);
      this.#idle();
    });
    asked.resolve(socket);
  }

  #idle(): void {
    this.#stopIdling();
    if (this.#open.size === 0 && this.#waiting.size === 0 && !this.#hasEnded)
      this.#stopIdling = after(idleMs, () => this.close());
  }

  #goneError(): AppError {
    return new AppError('lab-not-up', `${this.#place.node} is not reached any more`);
  }

  /** The program was ended: with it goes the network of the node, which an open connection would keep alive. */
  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#stopIdling();
    this.#ended.resolve();
    this.#begun.resolve('failed');
    for (const made of this.#waiting.values()) made.reject(this.#goneError());
    for (const socket of this.#open) socket.destroy();
  }
}
