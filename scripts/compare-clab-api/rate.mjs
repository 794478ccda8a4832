import autocannon from 'autocannon';
import { must } from '../lib/words.mjs';

const connections = 4;
const atMostSeconds = 4;
const atMostRequests = 4000;

/**
 * How often a second a list is given to four clients that each ask again as soon as they are answered.
 * @param {string} url
 * @param {Record<string, string>} headers
 */
export async function rateOf(url, headers) {
  let answers = 0;
  const started = performance.now();
  const { non2xx, errors } = await new Promise((resolve, reject) => {
    const load = autocannon({ url, headers, connections, amount: atMostRequests }, (error, done) =>
      error ? reject(error instanceof Error ? error : new Error(String(error))) : resolve(done),
    );
    const timer = setTimeout(() => load.stop(), atMostSeconds * 1000);
    load.on('response', () => void (answers += 1)).on('done', () => clearTimeout(timer));
  });
  const seconds = (performance.now() - started) / 1000;
  must(
    answers > 0 && non2xx === 0,
    `${url}: ${answers} replies, ${non2xx} of them not 2xx, ${errors} errors`,
  );
  const perSecond = answers / seconds;
  return perSecond < 10 ? perSecond.toFixed(1) : String(Math.round(perSecond));
}
