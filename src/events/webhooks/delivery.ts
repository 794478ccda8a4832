/** Messages to send, their receivers and their progress. Times are RFC 3339 UTC. */
import * as z from 'zod';
import { webhookStateSchema, type WebhookState } from '../../jobs/model/job-view.ts';
import type { Change } from '../model/event.ts';

const deliverySchema = z.object({
  /** `webhook-id`: the same at each try, and when an event is taken up again after a crash. */
  id: z.string(),
  /** `server` is LAB_API_WEBHOOK_URL as it is when the message is sent. */
  to: z.enum(['server', 'callback']),
  /** Of the job; empty for `server`. */
  url: z.string(),
  /** Null for an event that is not about a job. */
  job: z.string().nullable(),
  /** The lane of the message: messages of one lane are sent in order. */
  lane: z.string(),
  body: z.string(),
  createdAt: z.iso.datetime(),
  /** How often it was tried. */
  attempts: z.int(),
  /** HTTP status of the last answer; null when there was none. */
  lastStatus: z.int().nullable(),
  nextAttemptAt: z.iso.datetime(),
});

export type Delivery = Readonly<z.infer<typeof deliverySchema>>;

/** A line of `webhooks.jsonl`. */
export const lineSchema = z.union([
  z.object({
    after: z.string(),
    add: z.array(deliverySchema),
    /** The types of events that `server` got when the event `after` was processed. Written only when they change. */
    wanted: z.array(z.string()).optional(),
  }),
  z.object({
    tried: deliverySchema.pick({ id: true, attempts: true, lastStatus: true, nextAttemptAt: true }),
  }),
  z.object({ ended: z.string(), job: z.string().nullable(), state: webhookStateSchema }),
]);
export type DeliveryLine = z.infer<typeof lineSchema>;

/** How a delivery ended. `gone`: the receiver wants no more. `dropped`: too many wait for that receiver. */
export type DeliveryEnd = Exclude<WebhookState['state'], 'pending'>;

/** `job.success`, `lab.gone`, `service.started`: the state that a job is in now, else what happened. */
export function typeOfChange({ event, data }: Change): string {
  return event === 'job' && data.change !== 'removed' ? `job.${data.job.state}` : `${event}.${data.change}`;
}

/** The job or the lab that an event is about. */
function subjectOf({ event, data }: Change): string {
  switch (event) {
    case 'job':
      return data.job.id;
    case 'lab':
      return `lab ${data.lab.instance}`;
    case 'service':
      return 'service';
  }
}

/** A message about an event, as Standard Webhooks has them: `type`, `timestamp`, `data`. */
export function newDelivery(
  eventId: string,
  change: Change,
  receiver: Pick<Delivery, 'to' | 'url'>,
): Delivery {
  const now = new Date().toISOString();
  const { at, ...data } = change.data;
  return {
    ...receiver,
    id: `${eventId}-${receiver.to}`,
    job: change.event === 'job' ? change.data.job.id : null,
    lane: `${receiver.to} ${subjectOf(change)}`,
    body: JSON.stringify({ type: typeOfChange(change), timestamp: at, data }),
    createdAt: now,
    attempts: 0,
    lastStatus: null,
    nextAttemptAt: now,
  };
}
