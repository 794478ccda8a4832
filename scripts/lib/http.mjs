/**
 * The document that the service answers with; a body makes it a POST. A refusal is an error with the service's sentence.
 * @param {string} url
 * @param {unknown} [body]
 * @param {Record<string, string>} [headers]
 * @returns {Promise<any>}
 */
export async function call(url, body, headers = {}) {
  const post = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  const reply = await fetch(url, { ...post, headers });
  const document = /** @type {any} */ (await reply.json());
  if (!reply.ok) throw new Error(`${new URL(url).pathname} answered ${reply.status}: ${document.error}`);
  return document;
}

/**
 * Gives the log of a job as it grows, piece by piece; resolves at its end.
 * @param {string} url of the service
 * @param {string} id
 * @param {(piece: string) => void} [see]
 * @param {Record<string, string>} [headers]
 */
export async function followLog(url, id, see = () => undefined, headers = {}) {
  const log = await fetch(`${url}/jobs/${id}/log?follow=true`, { headers });
  const decoder = new TextDecoder();
  for await (const chunk of log.body ?? []) see(decoder.decode(chunk, { stream: true }));
}

/**
 * The record of a job once it has ended.
 * @param {string} url of the service
 * @param {string} id
 * @param {Record<string, string>} [headers]
 */
export async function endOf(url, id, headers = {}) {
  for (;;) {
    const job = await call(`${url}/jobs/${id}?wait=60`, undefined, headers);
    if (job.finishedAt !== null) return job;
  }
}
