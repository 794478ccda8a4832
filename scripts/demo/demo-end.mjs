/** The end of scripts/demo.mjs at any moment: takes labs down, ends jobs and the service. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { call, endOf } from '../lib/http.mjs';
import { program as lab } from '../lib/service.mjs';
import { say } from '../lib/words.mjs';

/** A terminal that is closed sends the last one. */
const signals = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * @typedef {object} Stage
 * @property {import('../lib/service.mjs').ServiceProcess} service
 * @property {NodeJS.ProcessEnv} environment with LAB_HOME, the engine's list of labs
 * @property {import('./routed-lab.mjs').RoutedLab} routed
 * @property {string} temporary the directory that goes when the script ends
 */

export class DemoEnd {
  /** Whether a signal has come. */
  isAsked = false;
  #stage;
  /** @type {Promise<void> | undefined} */
  #cleaning;
  /** @type {(() => void) | undefined} */
  #endStay;
  /** @type {Promise<{ id: string }> | undefined} */
  #submission;

  /** Listens to signals from now on. @param {Stage} stage */
  constructor(stage) {
    this.#stage = stage;
    for (const signal of signals) process.on(signal, () => this.#onSignal(signal));
    // The reader of what we say may go before us.
    process.stdout.on('error', () => undefined);
  }

  /** Resolves on a signal. @throws Error when the service ends by itself. */
  async isWanted() {
    const { child } = this.#stage.service;
    /** @type {Promise<void>} */
    const asked = new Promise((resolve) => (this.#endStay = resolve));
    const ended = once(child, 'close').then(() => {
      if (!this.isAsked) throw new Error('the service has ended');
    });
    await Promise.race([asked, ended]);
  }

  /**
   * Submits a job. After a signal it submits none, because no cancel would follow.
   * @param {string} api
   * @param {Record<string, unknown>} body
   */
  async submit(api, body) {
    if (this.isAsked) throw new Error('the demo ends');
    this.#submission = call(`${api}/jobs`, body);
    return this.#submission;
  }

  /** Takes everything down; the second call waits for the same. */
  async cleanUp() {
    this.#cleaning ??= this.#cleanUp();
    await this.#cleaning;
  }

  async #cleanUp() {
    const { service, environment, routed, temporary } = this.#stage;
    await this.#submission?.catch(() => undefined);
    await this.#cancelJobs().catch(() => undefined);
    if (routed.mayBeUp) await routed.remove();
    for (const instance of this.#labs()) {
      // In a session of its own: a second Ctrl-C does not leave half of a lab.
      const down = spawn(process.execPath, [lab, 'down', '--cleanup', '--force', '--instance', instance], {
        cwd: temporary,
        env: environment,
        detached: true,
        stdio: 'ignore',
      });
      await once(down, 'close');
    }
    await service.end();
  }

  /** A job that starts a lab would go on after us. */
  async #cancelJobs() {
    const { service } = this.#stage;
    if (service.child.exitCode !== null || service.child.signalCode !== null) return;
    const api = await service.listening;
    const { jobs } = await call(`${api}/jobs?state=queued,running,canceling`);
    for (const { id } of jobs) {
      await call(`${api}/jobs/${id}/cancel`, {});
      await endOf(api, id);
    }
  }

  /** The ids of all labs: the user may have started more of them on the page. @returns {string[]} */
  #labs() {
    const file = path.join(this.#stage.environment['LAB_HOME'] ?? '', 'status.json');
    try {
      return Object.keys(JSON.parse(readFileSync(file, 'utf8')));
    } catch {
      return [];
    }
  }

  /** @param {NodeJS.Signals} signal */
  #onSignal(signal) {
    if (this.isAsked) return this.#leaveAtOnce(signal);
    this.isAsked = true;
    say('\nTaking the lab down. Ctrl-C again ends at once, and leaves it.');
    if (this.#endStay !== undefined) this.#endStay();
    else void this.cleanUp().then(() => process.exit(130));
  }

  /** @param {NodeJS.Signals} signal */
  #leaveAtOnce(signal) {
    const { service, environment, routed, temporary } = this.#stage;
    service.child.kill('SIGKILL');
    say('\nEnded at once. These commands remove a lab that may be left:');
    if (routed.mayBeUp) say(`  ${routed.removal}`);
    for (const instance of this.#labs())
      say(`  LAB_HOME=${environment['LAB_HOME']} node ${lab} down --cleanup --force --instance ${instance}`);
    say(`  rm -r ${temporary}`);
    // Without listeners the signal ends the process, and the directory stays, which the commands above need.
    for (const each of signals) process.removeAllListeners(each);
    process.kill(process.pid, signal);
  }
}
