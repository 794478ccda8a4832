/** What the variables of webhooks may be. */
import * as z from 'zod';

/** 24 to 64 bytes: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const webhookSecret = z.string().refine((value) => {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value)?.[1] ?? '';
  const { length } = Buffer.from(base64, 'base64');
  return length >= 24 && length <= 64;
}, 'must be "whsec_" and 24 to 64 random bytes in base64: echo whsec_$(openssl rand -base64 32)');

const webhookKinds = {
  job: ['queued', 'running', 'canceling', 'success', 'failed', 'canceled', 'removed'],
  lab: ['appeared', 'changed', 'gone', 'expiring', 'expired', 'expiry-failed'],
  service: ['started', 'stopping'],
} as const;

/** What LAB_API_WEBHOOK_EVENTS may name: all of a kind, or one type. */
export const webhookEvents: readonly string[] = Object.entries(webhookKinds).flatMap(([kind, types]) => [
  kind,
  ...types.map((type) => `${kind}.${type}`),
]);
