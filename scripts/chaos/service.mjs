// The built service as a process that is killed and started again on the same port and data directory.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = path.join(fileURLToPath(new URL('../..', import.meta.url)), 'dist', 'main.js');

/** A port that nobody listens on now. */
export async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

export class Service {
  #child;
  #environment;
  #log = '';
  /** Error messages of all processes so far. */
  errors = [];

  constructor(environment) {
    this.#environment = environment;
    this.url = `http://127.0.0.1:${environment.LAB_API_PORT}`;
  }

  /** Resolves when it listens; rejects when it ends before. */
  start() {
    const child = spawn(process.execPath, [program, 'api', '--bind', '127.0.0.1'], {
      env: { ...this.#environment, LAB_API_LOG_FORMAT: 'json', LAB_API_LOG_LEVEL: 'info' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    let said = '';
    const listening = new Promise((resolve, reject) => {
      child.stderr.setEncoding('utf8').on('data', (text) => {
        said += text;
        if (said.includes('"lab-api is listening"')) resolve();
      });
      child.once('close', () => {
        this.#log = said;
        this.errors.push(...said.split('\n').filter((line) => line.includes('"level":"error"')));
        reject(new Error(`the service ended: ${said.trim()}`));
      });
    });
    // Whoever kills it before it listens does not wait for that.
    listening.catch(() => undefined);
    return listening;
  }

  async kill(signal = 'SIGKILL') {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const closed = once(this.#child, 'close');
    this.#child.kill(signal);
    await closed;
  }

  get lastLog() {
    return this.#log;
  }

  /** What a second service on the same data directory says; it must refuse to start. */
  async secondOwner() {
    const second = new Service({ ...this.#environment, LAB_API_PORT: '0' });
    const reason = await second.start().then(
      () => undefined,
      (error) => error.message,
    );
    await second.kill();
    return reason;
  }

  /** As `request`, again and again until there is a reply. */
  async insist(...request) {
    for (;;) {
      try {
        return await this.request(...request);
      } catch {
        await delay(100);
      }
    }
  }

  /** The reply as {status, body}; rejects when the service is away. */
  async request(method, target, { body, key } = {}) {
    const reply = await fetch(`${this.url}${target}`, {
      method,
      headers: key === undefined ? {} : { 'Idempotency-Key': key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(20_000),
    });
    const text = await reply.text();
    const isJson = /json/.test(reply.headers.get('content-type') ?? '');
    return { status: reply.status, body: isJson ? JSON.parse(text) : text };
  }
}
