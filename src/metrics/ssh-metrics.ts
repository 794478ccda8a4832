/** Connections over SSH, and their logins. */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type Registry from 'prom-client/lib/registry.js';
import { loginResults, type LoginResult, type SshObserver } from '../ssh/ssh-observer.ts';

export class SshMetrics implements SshObserver {
  readonly #open;
  readonly #logins;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#open = new Gauge({
      name: 'lab_api_ssh_connections',
      help: 'Open connections over SSH.',
      registers,
    });
    this.#open.set(0);
    this.#logins = new Counter({
      name: 'lab_api_ssh_logins_total',
      help: `Logins over SSH by result: ${loginResults.join(', ')}.`,
      labelNames: ['result'],
      registers,
    });
    for (const result of loginResults) this.#logins.inc({ result }, 0);
  }

  readonly connectionOpened = (): (() => void) => {
    this.#open.inc();
    return () => this.#open.dec();
  };

  readonly loginEnded = (result: LoginResult): void => this.#logins.inc({ result });
}
