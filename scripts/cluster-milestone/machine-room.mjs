// What a machine has beside its network: a `/run` of its own, so that labs of three machines may have the same names. It outlives
// the service there, as a machine does.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';

/** @typedef {ReturnType<import('../chaos/cluster/network.mjs').Network['place']>} Place */

/** It ends with this script, whose end closes its standard input; with it go `/run` and the namespaces named there. */
const hold = 'mount -t tmpfs -o mode=755 tmpfs /run && mkdir /run/netns && echo ready && exec cat';

export class MachineRoom {
  #child;
  #place;

  /** @param {Place} place */
  constructor(place) {
    this.#place = place;
    const [command, ...words] = [...place.within, 'unshare', '--mount', 'sh', '-c', hold];
    // Not of the terminal's group: a Ctrl-C is for the script, which tidies up first.
    this.#child = spawn(command, words, { stdio: ['pipe', 'pipe', 'inherit'], detached: true });
  }

  /** Resolves when a service can be started there. */
  async ready() {
    const ended = once(this.#child, 'exit').then(() => {
      throw new Error('no place for a machine can be made here: it takes root, ip, unshare and nsenter');
    });
    ended.catch(() => undefined);
    await Promise.race([once(this.#child.stdout, 'data'), ended]);
  }

  /** @returns {Place} */
  get place() {
    const of = (/** @type {string} */ kind) =>
      `--${kind === 'mnt' ? 'mount' : kind}=/proc/${this.#child.pid}/ns/${kind}`;
    return { ...this.#place, within: ['nsenter', of('net'), of('mnt')] };
  }

  /** The network namespaces that have a name on that machine, which are the nodes of its labs. */
  namespaces() {
    return readdirSync(`/proc/${this.#child.pid}/root/run/netns`);
  }

  async end() {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.stdin.end();
    await ended;
  }
}
