import { Agent, fetch as send } from 'undici';

/** This process itself listens there, so the name in its certificate does not matter. */
const dispatcher = new Agent({ connect: { rejectUnauthorized: false } });

/** `fetch` to this very service. An address that stands for all of the machine's own is reached by any of them. */
export const fetchSelf: typeof fetch = async (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1';
  if (url.hostname === '[::]') url.hostname = '[::1]';
  // Both are the same standard; only their types come from two packages.
  const sendAnything = send as unknown as (input: URL, init: object) => Promise<Response>;
  return sendAnything(url, { ...init, dispatcher });
};
