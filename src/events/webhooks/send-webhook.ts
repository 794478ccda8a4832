/** One try to deliver a message, signed as Standard Webhooks has it (https://www.standardwebhooks.com). */
import { createHmac } from 'node:crypto';
import type { Dispatcher } from 'undici';
import { messageOf } from '../../lib/app-error.ts';
import { addressesOf, exchangeProblem, parseOutboundUrl, pinnedLookup } from '../../lib/net/outbound-url.ts';
import type { Delivery } from './delivery.ts';

const field = 'callbackUrl';
const variable = 'LAB_API_WEBHOOK_HOSTS';

export type Attempt =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfterMs: number }
  /** There was no answer. */
  | { readonly kind: 'failed'; readonly why: string };

export interface SenderSettings {
  /** For messages to `server`. */
  readonly url: string | undefined;
  /** `whsec_` and the key in base64; without it, messages are not signed. */
  readonly secret: string | undefined;
  /** Hosts that a callback may be at, LAB_API_WEBHOOK_HOSTS; empty for any that is not local. */
  readonly hosts: readonly string[];
  /** Of this program. */
  readonly version: string;
}

/** How long a name may take to be resolved when a job is submitted. */
const checkMs = 5_000;

/**
 * Checks the callback of a job before the job is accepted. A name server that does not answer is no reason to refuse it.
 * @throws AppError `invalid-request`, `forbidden-host`.
 */
export async function checkCallbackUrl(text: string, allowedHosts: readonly string[]): Promise<void> {
  const url = parseOutboundUrl(field, text);
  const signal = AbortSignal.timeout(checkMs);
  await addressesOf(url, { field, variable, allowedHosts, signal }).catch((error: unknown) => {
    if (isRefusal(error)) throw error;
  });
}

function isRefusal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === 'forbidden-host';
}

/** The signature of a message: `v1,` and an HMAC of its id, its time and its body. */
function signatureOf(secret: string, signed: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}

function headersOf({ id, body }: Delivery, { secret, version }: SenderSettings): Record<string, string> {
  // Of each try: receivers refuse what was signed minutes ago.
  const timestamp = String(Math.floor(Date.now() / 1000));
  return {
    'content-type': 'application/json',
    'user-agent': `lab-api/${version}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    ...(secret !== undefined && { 'webhook-signature': signatureOf(secret, `${id}.${timestamp}.${body}`) }),
  };
}

function retryAfterMs(headers: Dispatcher.ResponseData['headers']): number {
  const given = headers['retry-after'];
  return typeof given === 'string' && /^\d{1,6}$/.test(given) ? Number(given) * 1000 : 0;
}

/**
 * Sends a message once, until `signal` is aborted. No redirect is followed, and the body of the answer is not read. Never
 * rejects.
 */
export async function sendWebhook(
  delivery: Delivery,
  settings: SenderSettings,
  signal: AbortSignal,
): Promise<Attempt> {
  try {
    return await post(delivery, settings, signal);
  } catch (error) {
    if (signal.aborted) return { kind: 'failed', why: 'there was no answer in time' };
    return { kind: 'failed', why: isRefusal(error) ? messageOf(error) : exchangeProblem(error) };
  }
}

async function post(delivery: Delivery, settings: SenderSettings, signal: AbortSignal): Promise<Attempt> {
  const isCallback = delivery.to === 'callback';
  const url = parseOutboundUrl(field, isCallback ? delivery.url : (settings.url ?? ''));
  // The administrator's receiver may have any address. The address of a client's receiver is checked for each message, because
  // its name may resolve differently by now, and the connection goes to the checked address.
  const pinned = isCallback
    ? await addressesOf(url, { field, variable, allowedHosts: settings.hosts, signal })
    : undefined;
  // Loaded for the first message: it is a fourth of what the start of the service costs.
  const { Agent, request } = await import('undici');
  const agent = new Agent(pinned ? { connect: { lookup: pinnedLookup(pinned) } } : {});
  try {
    const headers = headersOf(delivery, settings);
    const answer = await request(url, {
      method: 'POST',
      dispatcher: agent,
      signal,
      headers,
      body: delivery.body,
    });
    // Destroying the agent below breaks the unread body; without a listener, that error would end the service.
    answer.body.on('error', () => undefined);
    return { kind: 'answered', status: answer.statusCode, retryAfterMs: retryAfterMs(answer.headers) };
  } finally {
    await agent.destroy();
  }
}
