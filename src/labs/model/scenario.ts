/** Scenarios: faults that are set and healed one after the other, while the traffic of flows is measured. */
import * as z from 'zod';
import { parseDuration } from '../../lib/text/duration.ts';
import { linkFaultKinds, nodeFaultKinds } from './fault.ts';
import { impairmentRequestSchema, impairsNothing } from './impairment.ts';

/** Seconds, or text such as `500ms`, `3s` or `2m`. */
type Duration = number | string;

/** @throws RangeError for text that the schema refuses. */
export function msOf(given: Duration): number {
  const ms = typeof given === 'number' ? Math.round(given * 1_000) : parseDuration(given);
  if (ms === undefined) throw new RangeError('not a duration');
  return ms;
}

const seconds = z.number().min(0).max(3_600).describe('In seconds.');

// The limit is part of the pattern, so that the description of the API has it too.
const fraction = String.raw`(?:\.\d+)?`;
const upToAnHour = [
  String.raw`(?:[12]?\d{1,6}|3[0-5]\d{5})${fraction}ms`,
  String.raw`(?:[12]?\d{1,3}|3[0-5]\d\d)${fraction}s?`,
  String.raw`[1-5]?\d${fraction}m`,
  String.raw`0${fraction}h`,
  '3600000ms|3600s?|60m|1h',
].join('|');
const error = 'must be seconds or a duration such as "500ms", "3s" or "2m", an hour at most';
const text = z
  .string()
  .max(20)
  .regex(new RegExp(`^(?:${upToAnHour})$`), { error });

function duration(description: string) {
  return z.union([seconds, text], { error }).optional().describe(description);
}

/** Names and titles stand in lines of the log. */
// oxlint-disable-next-line no-control-regex
const oneLine = /^[^\u0000-\u001F\u007F]*$/;

const name = z.string().min(1).max(255);

const tests = (description: string) => z.array(name).min(1).max(100).optional().describe(description);

const flowSchema = z
  .strictObject({
    from: name.describe('The node that sends the probes.'),
    to: name.describe('The node that answers, or an IP address.'),
    rate: z
      .int()
      .min(1)
      .max(100)
      .optional()
      .describe(
        'How many probes leave in a second; 50 unless given. It limits how short an outage is noticed.',
      ),
    family: z
      .enum(['ipv4', 'ipv6'])
      .optional()
      .describe('The only address family to measure; unless given, every one that both ends have.'),
  })
  .meta({ id: 'ScenarioFlow', description: 'Traffic that is measured: echo requests and their replies.' });

const kindOfPart = z
  .enum([...linkFaultKinds, ...nodeFaultKinds])
  .optional()
  .describe('The kind of the fault; `down` for a link and `isolated` for a node unless given.');

const partShape = {
  link: name.optional().describe('The link, as its id or as `r1-r2`.'),
  node: name.optional().describe('The node; with `link`, the only node that is cut off from it.'),
  kind: kindOfPart,
  process: z
    .string()
    .min(1)
    .max(15)
    .regex(oneLine, 'must not have control characters')
    .optional()
    .describe('Of `killed`: the process, such as `bgpd`.'),
  impairment: impairmentRequestSchema
    .refine((given) => !impairsNothing(given), 'impairs nothing')
    .optional()
    .describe('Of `impaired`.'),
};

const partSchema = z
  .strictObject(partShape)
  .meta({ id: 'ScenarioFaultPart', description: 'A link or a node that is broken.' });

const faultSchema = z
  .strictObject({
    ...partShape,
    with: z
      .array(partSchema)
      .max(20)
      .optional()
      .describe('Links and nodes that are broken at the same time.'),
    outage: duration('How long a flow may be without traffic after this fault, instead of `expect.outage`.'),
  })
  .meta({ id: 'ScenarioFault', description: 'A fault of a scenario.' });

const eachSchema = z
  .strictObject({
    of: z
      .enum(['link', 'node', 'pair'])
      .describe(
        '`link`: every link between nodes that are no hosts. `node`: every node that is no host and no end of a flow. `pair`: every two of those links at once.',
      ),
    kind: kindOfPart,
    except: z
      .array(name)
      .max(1_000)
      .optional()
      .describe('Links (by id or as `r1-r2`) or nodes that are left alone.'),
  })
  .meta({ id: 'ScenarioEach', description: 'The same fault for many links or nodes, one after the other.' });

const steadySchema = z
  .strictObject({
    for: duration(
      'How long the flows must be without loss, before the first fault and after each one is healed; 3s unless given.',
    ),
    within: duration('How long that may take; 60s unless given.'),
    loss: z
      .number()
      .min(0)
      .max(100)
      .optional()
      .describe('How many probes in a hundred may be lost; 0 unless given.'),
    tests: tests('Tests of the lab that must pass, too.'),
  })
  .meta({ id: 'ScenarioSteady', description: 'The steady state: when the lab works as it should.' });

const expectSchema = z
  .strictObject({
    outage: duration(
      'How long any flow may be without traffic after a fault. Unless given, the flows must only be back before the fault is healed.',
    ),
    tests: tests('Tests of the lab that must pass while a fault stays.'),
  })
  .meta({ id: 'ScenarioExpectation', description: 'The rule that every fault is judged by.' });

const captureSchema = z
  .strictObject({
    node: name.describe('The node.'),
    interface: z
      .string()
      // Linux counts bytes, and refuses `/` and `:` (`dev_valid_name`). Beyond ASCII, the lengths of JavaScript
      // and of JSON Schema differ.
      .regex(/^(?!\.{1,2}$)[!-.0-9;-~]{1,15}$/, 'must be the name of an interface')
      .describe('The interface, as the kernel of the node calls it: `eth1`.'),
    filter: z
      .string()
      .max(1_000)
      .regex(oneLine, 'must not have control characters')
      .optional()
      .describe('A filter of `pcap-filter(7)`, such as `ip proto 89` for OSPF; all packets unless given.'),
  })
  .meta({ id: 'ScenarioCapture', description: 'An interface whose packets are kept.' });

/** A machine that is busy with more probes loses some. */
const maxFlows = 50;

export const scenarioSchema = z
  .strictObject({
    title: z
      .string()
      .min(1)
      .max(200)
      .regex(oneLine, 'must not have control characters')
      .optional()
      .describe('A sentence for people.'),
    flows: z.array(flowSchema).min(1).max(maxFlows).describe('The traffic that is measured.'),
    each: eachSchema.optional(),
    faults: z
      .array(faultSchema)
      .min(1)
      .max(1_000)
      .optional()
      .describe('Faults, in the order in which they are set.'),
    steady: steadySchema.optional(),
    expect: expectSchema.optional(),
    paths: z
      .boolean()
      .optional()
      .describe(
        'Whether the report has the nodes that each flow passes, before each fault and while it stays.',
      ),
    shard: z
      .string()
      .regex(/^[1-9]\d{0,2}\/[1-9]\d{0,2}$/, 'must be a part and the number of parts, such as "1/4"')
      .optional()
      .describe(
        'Runs a part of the faults: `2/4` runs the second of four parts. Identical labs can so share a scenario.',
      ),
    capture: z
      .array(captureSchema)
      .max(20)
      .optional()
      .describe(
        'Interfaces whose packets become files of the job, such as `r1-eth1.pcap`, until each has 64 MiB.',
      ),
    hold: duration(
      'How long a fault stays, 10m at most; 30s unless given. It is healed earlier when all flows are back and have been without loss for `steady.for`.',
    ),
  })
  .refine(({ each, faults }) => each !== undefined || faults !== undefined, {
    path: ['each'],
    error: 'is required, or "faults": they say which links or nodes are to fail',
  })
  .meta({
    id: 'Scenario',
    description:
      'Faults that are set and healed one after the other, while the traffic of flows is measured.',
    dependentSchemas: { flows: { anyOf: [{ required: ['each'] }, { required: ['faults'] }] } },
  });

export type Scenario = Readonly<z.output<typeof scenarioSchema>>;
export type ScenarioFlow = Scenario['flows'][number];
export type ScenarioFault = NonNullable<Scenario['faults']>[number];
export type ScenarioFaultPart = Omit<ScenarioFault, 'with' | 'outage'>;
