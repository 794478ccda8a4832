/** Answers the programs of scenario jobs, over a Unix socket that only the service's own user can open. */
import { chmod, mkdir, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Job } from '../jobs/model/job.ts';
import type { FaultTarget, WantedFault } from '../labs/model/fault.ts';
import { AppError, messageOf } from '../lib/app-error.ts';
import { deferred } from '../lib/async/deferred.ts';
import type { Logger } from '../lib/logger.ts';
import type { Answer, Numbered, Question } from './model/link-messages.ts';

/** sun_path of unix(7), with the byte that ends it. */
const maxPathBytes = 107;
const onlyOwner = 0o700;

interface ScenarioServerDeps {
  /** Of the socket. */
  readonly directory: string;
  /** The job with this id, if it is a scenario that has started and not ended. */
  readonly jobOf: (id: string) => Job | undefined;
  readonly planOf: (job: Job) => Promise<unknown>;
  readonly wayTo: (job: Job, node: string) => Promise<unknown>;
  /** `gone` is aborted when the program has no use for them any more. */
  readonly failuresOf: (job: Job, tests: readonly string[], gone: AbortSignal) => Promise<readonly string[]>;
  readonly set: (job: Job, fault: WantedFault) => Promise<unknown>;
  readonly heal: (job: Job, target: FaultTarget) => Promise<void>;
  readonly log: Logger;
}

/** A program that was killed may leave half a line. */
function questionIn(line: string): Numbered<Question> | undefined {
  try {
    const asked = JSON.parse(line) as Numbered<Question> | null;
    return typeof asked === 'object' && asked !== null ? asked : undefined;
  } catch {
    return undefined;
  }
}

interface Asked {
  readonly job: Job | undefined;
  readonly question: Question;
  readonly gone: AbortSignal;
}

export class ScenarioServer {
  readonly #deps: ScenarioServerDeps;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #problem: string | undefined = 'the service has not started yet';

  constructor(deps: ScenarioServerDeps) {
    this.#deps = deps;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  get file(): string {
    return path.join(this.#deps.directory, 'service.sock');
  }

  /** Why no scenario can run, a sentence; undefined when one can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** A service without it does all else. Never rejects. */
  async open(): Promise<void> {
    const { file } = this;
    const { directory, log } = this.#deps;
    try {
      if (Buffer.byteLength(file) > maxPathBytes)
        throw new Error(`its path has over ${maxPathBytes} bytes: give a shorter LAB_API_DATA_DIR`);
      await mkdir(directory, { recursive: true, mode: onlyOwner });
      await chmod(directory, onlyOwner);
      await rm(file, { force: true });
      const listening = deferred<void>();
      this.#server.on('error', listening.reject);
      this.#server.listen(file, () => listening.resolve());
      await listening.promise;
      this.#problem = undefined;
    } catch (error) {
      this.#problem = `scenarios need the socket ${file}, which cannot be made: ${messageOf(error)}`;
      log.warn('scenarios cannot run', { cause: messageOf(error) });
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    if (!this.#server.listening) return;
    const closed = deferred<void>();
    this.#server.close(() => closed.resolve());
    await closed.promise;
  }

  #serve(socket: Socket): void {
    let job: Job | undefined;
    const gone = new AbortController();
    this.#sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => {
      this.#sockets.delete(socket);
      gone.abort();
    });
    const lines = createInterface({ input: socket });
    // It repeats the errors of the socket.
    lines.on('error', () => undefined);
    lines.on('line', (line) => {
      const asked = questionIn(line);
      if (asked === undefined) return void socket.destroy();
      const { id, ...question } = asked;
      if (question.ask === 'plan') job = this.#deps.jobOf(question.job);
      void this.#answer({ job, question, gone: gone.signal }).then((answer) =>
        socket.write(`${JSON.stringify({ id, ...answer })}\n`),
      );
    });
  }

  /** Never rejects. */
  async #answer({ job, question, gone }: Asked): Promise<Answer> {
    try {
      if (job === undefined) throw new AppError('job-not-found', 'no such scenario is running');
      return { value: await this.#valueFor(job, question, gone) };
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal';
      return { error: { code, message: messageOf(error) } };
    }
  }

  async #valueFor(job: Job, question: Question, gone: AbortSignal): Promise<unknown> {
    switch (question.ask) {
      case 'plan':
        return this.#deps.planOf(job);
      case 'way':
        return this.#deps.wayTo(job, question.node);
      case 'tests':
        return this.#deps.failuresOf(job, question.names, gone);
      case 'set':
        return this.#deps.set(job, question.fault);
      case 'heal':
        await this.#deps.heal(job, question.target);
        return null;
    }
  }
}
