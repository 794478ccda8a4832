/** Keeps the packets of interfaces, while a scenario runs, in files of its job. */
import { setMaxListeners } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { startCapture } from '../../labs/nodes/capture.ts';
import { messageOf } from '../../lib/app-error.ts';
import { after } from '../../lib/async/disposal.ts';
import { captureFile, type PlannedCapture } from '../model/scenario-plan.ts';
import type { Way } from './probe.ts';

const limits = {
  packets: undefined,
  timeMs: Number.MAX_SAFE_INTEGER,
  maxBytes: 64 * 1024 * 1024,
  snaplen: 262_144,
};
const fileMode = 0o600;
const directoryMode = 0o700;
/** How long tcpdump may take to write its last packets. */
const endMs = 5_000;

interface CaptureDeps {
  readonly wayTo: (node: string) => Promise<Way>;
  /** Of the files. */
  readonly directory: string;
  readonly say: (line: string) => void;
}

export class Captures {
  readonly #deps: CaptureDeps;
  readonly #until = new AbortController();
  readonly #kill = new AbortController();
  /** None of them rejects. */
  readonly #files: Promise<void>[] = [];

  constructor(deps: CaptureDeps) {
    this.#deps = deps;
    setMaxListeners(0, this.#until.signal, this.#kill.signal);
  }

  /** Resolves when the capture has begun. @throws Error when it cannot. */
  async start(capture: PlannedCapture): Promise<void> {
    const { wayTo, directory, say } = this.#deps;
    const { node, ifname, filter } = capture;
    const until = this.#until.signal;
    try {
      await mkdir(directory, { recursive: true, mode: directoryMode });
      const session = { ...(await wayTo(node)), node, signal: this.#kill.signal, leave: () => undefined };
      const packets = await startCapture(session, { ifname, filter, until, ...limits });
      const file = captureFile(capture);
      const writing = pipeline(
        packets,
        createWriteStream(path.join(directory, file), { mode: fileMode }),
      ).then(
        () => until.aborted || say(`warning: ${file} ends here: it has 64 MiB, or the interface is gone`),
        (error: unknown) => say(`warning: ${file} is not whole: ${messageOf(error)}`),
      );
      this.#files.push(writing.then(() => undefined));
    } catch (error) {
      throw new Error(`the capture at ${node} ${ifname} cannot begin: ${messageOf(error)}`, { cause: error });
    }
  }

  /** Resolves when all files are whole. */
  async stop(): Promise<void> {
    this.#until.abort();
    const stopTimer = after(endMs, () => this.#kill.abort());
    await Promise.all(this.#files);
    stopTimer();
  }
}
