/** Asks all other hosts the same at once. */
import { setMaxListeners } from 'node:events';
import type { Response } from 'express';
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import type { Host } from '../../cluster/model/host.ts';
import type { Asker } from '../../cluster/model/message.ts';
import { after } from '../../lib/async/disposal.ts';
import { linkSignals } from '../../lib/async/linked-signal.ts';
import { streamSignal } from '../reply/stream.ts';
import { requestPeer } from './peers.ts';

/** A host that takes longer is left out, and said to be. As long as the lab CLI of most takes for its status. */
const usualMs = 20_000;

/** As long as the longest document that the typed client reads. */
const mostBytes = 32 * 1024 * 1024;

interface Part {
  readonly host: Host;
  readonly text: string;
}

export interface Gathered {
  readonly parts: readonly Part[];
  /** Those that did not answer, or are known to be away. */
  readonly missing: readonly Host[];
}

interface Question {
  /** Below the base path, with its query. */
  readonly path: string;
  readonly asker: Asker;
  readonly headers?: Readonly<Record<string, string>>;
  /** Asks only hosts that have this lab CLI, and hosts whose lab CLIs are unknown. */
  readonly cli?: string | undefined;
  /** The time limit for their answers; the default is the limit of a run of the lab CLI. */
  readonly withinMs?: number;
  /** The hosts are not asked any longer when this reply closes. */
  readonly res: Response;
}

/** @throws Error when it is longer than any answer is. */
async function boundedText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error('the answer is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

interface Asking extends Omit<Question, 'res' | 'withinMs'> {
  readonly cluster: ClusterService;
  /** Aborted when the time is up or the client has gone. */
  readonly over: AbortSignal;
}

async function ask(
  host: Host,
  { cluster, over, path, asker, headers = {} }: Asking,
): Promise<Part | 'missing' | 'none'> {
  // Let go when the reply is over, as `over` is.
  const { signal } = linkSignals(over, cluster.awaySignal(host.id));
  try {
    const { statusCode, body } = await requestPeer(cluster, host, {
      method: 'GET',
      path,
      asker,
      headers,
      signal,
    });
    const text = await boundedText(body);
    if (statusCode === 200) return { host, text };
    return statusCode === 404 ? 'none' : 'missing';
  } catch {
    return 'missing';
  }
}

/** The answers of the others that have one (200). */
export async function gather(cluster: ClusterService, question: Question): Promise<Gathered> {
  const { cli } = question;
  const others = cluster.hosts.filter(
    ({ isThis, clis }) => !isThis && (cli === undefined || clis.length === 0 || clis.includes(cli)),
  );
  const late = new AbortController();
  const stopTimer = after(question.withinMs ?? usualMs, () => late.abort());
  const over = streamSignal(question.res, late.signal);
  setMaxListeners(0, over);
  const answers = await Promise.all(
    others.map(async (host) => ({ host, answer: await ask(host, { ...question, cluster, over }) })),
  );
  stopTimer();
  return {
    parts: answers.flatMap(({ answer }) => (typeof answer === 'object' ? [answer] : [])),
    missing: answers.flatMap(({ host, answer }) => (answer === 'missing' ? [host] : [])),
  };
}
