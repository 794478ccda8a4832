/** Packets that are late, lost or changed: netem (tc-netem(8)). */
import * as z from 'zod';

/** Ten minutes; what the kernel counts in has room for an hour. */
const maxDelayMs = 600_000;
const delay = z.number().min(0).max(maxDelayMs).default(0);
const percent = z.number().min(0).max(100).default(0);

/** 0 stands for none of it. */
export const impairmentShape = {
  delayMs: delay.describe('Every packet is that late, in milliseconds.'),
  jitterMs: delay.describe('By how much the delay varies, up and down, in milliseconds.'),
  lossPercent: percent.describe('How many packets in a hundred are lost.'),
  duplicatePercent: percent.describe('How many packets in a hundred come twice.'),
  corruptPercent: percent.describe('In how many packets in a hundred a bit is turned.'),
  rateKbps: z
    .number()
    .min(0)
    .max(1e9)
    .default(0)
    .describe('How many thousand bits in a second go out at most; 0: as many as can.'),
};

export const impairmentRequestSchema = z.strictObject(impairmentShape).meta({
  id: 'ImpairmentRequest',
  description: 'The impairment of packets; omitted fields are 0.',
  // At least one of them is not 0.
  not: { properties: Object.fromEntries(Object.keys(impairmentShape).map((name) => [name, { const: 0 }])) },
});

export type Impairment = Readonly<z.output<typeof impairmentRequestSchema>>;

export function impairsNothing(impairment: Impairment): boolean {
  return Object.values(impairment).every((value) => value === 0);
}
