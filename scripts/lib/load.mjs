import autocannon from 'autocannon';
import { must } from './words.mjs';

/**
 * Sends the same GET over several connections, on each the next as soon as one is answered, until the time is over or the
 * requests are used up. Returns how many were answered a second, and how long each took.
 * @param {{ url: string, headers?: Record<string, string>, connections: number, seconds: number, atMost?: number }} load
 */
export async function putLoad({ url, headers = {}, connections, seconds, atMost = Infinity }) {
  const started = performance.now();
  /** @type {number[]} The histogram of autocannon knows whole milliseconds only. */
  const latencies = [];
  const { non2xx, errors } = await new Promise((resolve, reject) => {
    const load = autocannon({ url, headers, connections, duration: seconds }, (error, done) =>
      error ? reject(error instanceof Error ? error : new Error(String(error))) : resolve(done),
    );
    load.on('response', (_client, _status, _bytes, ms) => {
      if (latencies.push(ms) >= atMost) load.stop();
    });
  });
  const tookMs = performance.now() - started;
  const isSound = non2xx === 0 && errors === 0 && latencies.length > 0;
  must(isSound, `${url}: ${latencies.length} replies, ${non2xx} of them not 2xx, and ${errors} errors`);
  return { perSecond: (latencies.length * 1000) / tookMs, latencies };
}
