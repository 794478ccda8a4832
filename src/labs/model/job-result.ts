/** What an action found out, as the record of its job has it. The driver of a lab CLI reads it from what was printed. */
import * as z from 'zod';

const testOutcomes = ['passed', 'failed', 'warning', 'skipped'] as const;
export type TestOutcome = (typeof testOutcomes)[number];

const testSchema = z
  .object({
    name: z.string().describe('As the topology calls it.'),
    description: z.string().nullable().describe('What it is to show; null when the topology does not say.'),
    nodes: z.array(z.string()).describe('The nodes that it was run on, of those that are listed.'),
    outcome: z
      .enum(testOutcomes)
      .nullable()
      .describe(
        '`warning`: it failed, and its `level` is `warning`. `skipped`: no node can run it. null: it gives no verdict (it waits, or only runs a command), it did not come to its end, or what was printed cannot be understood.',
      ),
    messages: z
      .array(z.string())
      .describe('What was said about it, in order, without how it was waited for.'),
    seconds: z
      .number()
      .min(0)
      .nullable()
      .describe('How long it took, in seconds; null when that was not printed.'),
  })
  .meta({ id: 'TestResult', description: 'One test of a lab, and how it ended.' });

export type TestResult = Readonly<z.infer<typeof testSchema>>;

const count = (what: string) =>
  z.int().min(0).nullable().describe(`How many tests ${what}; null when that was not printed.`);

const testsSchema = z
  .object({
    kind: z.literal('tests').describe('What tells it from other results.'),
    passed: count('passed'),
    failed: z.int().min(0).describe('How many tests failed.'),
    warnings: z.int().min(0).describe('How many tests gave a warning in place of a failure.'),
    complete: z
      .boolean()
      .describe('Whether the tests came to their end. If not, there are some of which nothing was printed.'),
    truncated: z
      .boolean()
      .describe(
        'Whether tests or messages are left out here, because all have 32 KiB together. They are counted.',
      ),
    tests: z.array(testSchema).describe('In the order in which they were run.'),
  })
  .meta({ id: 'TestsResult', description: 'How the tests of a lab ended.' });

export type TestsResult = Readonly<z.infer<typeof testsSchema>>;

const nodeOutputSchema = z
  .object({
    node: z.string().describe('As the topology calls it.'),
    output: z.string().describe('What the command printed there: the beginning of it, when it is long.'),
    truncated: z.boolean().describe('Whether there is more of it in the log.'),
    exitCode: z
      .int()
      .nullable()
      .describe(
        'Of the command; null when it was not run there, or the lab CLI does not tell it, as netlab does not.',
      ),
  })
  .meta({ id: 'NodeOutput', description: 'What a command printed in one node.' });

export type NodeOutput = Readonly<z.infer<typeof nodeOutputSchema>>;

const outputsSchema = z
  .object({
    kind: z.literal('outputs').describe('What tells it from other results.'),
    complete: z
      .boolean()
      .describe('Whether the lab CLI came to its end. If not, there may be nodes that are not listed.'),
    nodes: z
      .array(nodeOutputSchema)
      .describe('In the order in which the command was run there; at most 1000.'),
  })
  .meta({ id: 'OutputsResult', description: 'What a command printed, by node.' });

type OutputsResult = Readonly<z.infer<typeof outputsSchema>>;

export const jobResultSchema = z
  .union([testsSchema, outputsSchema])
  .meta({ id: 'JobResult', description: 'What an action found out: `kind` says which of these it is.' });

export type JobResult = TestsResult | OutputsResult;
