/** The result of an action in the record of its job. The driver of the lab CLI reads it from the output. */
import * as z from 'zod';

const testOutcomes = ['passed', 'failed', 'warning', 'skipped'] as const;
export type TestOutcome = (typeof testOutcomes)[number];

const testSchema = z
  .object({
    name: z.string().describe('As the topology calls it.'),
    description: z
      .string()
      .nullable()
      .describe('The description of the test; null if the topology has none.'),
    nodes: z.array(z.string()).describe('The nodes that it was run on, of those that are listed.'),
    outcome: z
      .enum(testOutcomes)
      .nullable()
      .describe(
        '`warning`: it failed, and its `level` is `warning`. `skipped`: no node can run it. null: it gives no verdict (it waits, or only runs a command), it did not come to its end, or what was printed cannot be understood.',
      ),
    reason: z
      .string()
      .nullable()
      .default(null)
      .describe(
        'Why it failed, gave a warning or was skipped: the first message that said so. null for any other test, and when no message says why.',
      ),
    messages: z
      .array(z.string())
      .describe('The messages about it, in order, without the progress of waiting.'),
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
    kind: z.literal('tests').describe('The kind of result.'),
    passed: count('passed'),
    failed: z.int().min(0).describe('How many tests failed.'),
    warnings: z.int().min(0).describe('How many tests gave a warning in place of a failure.'),
    complete: z.boolean().describe('Whether all tests ended. If not, the results of some tests are missing.'),
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
    output: z.string().describe('The output of the command in the node; only the beginning if it is long.'),
    truncated: z.boolean().describe('Whether there is more of it in the log.'),
    exitCode: z
      .int()
      .nullable()
      .describe(
        'Of the command; null when it was not run there, or the lab CLI does not tell it, as netlab does not.',
      ),
  })
  .meta({ id: 'NodeOutput', description: 'The output of a command in one node.' });

export type NodeOutput = Readonly<z.infer<typeof nodeOutputSchema>>;

const outputsSchema = z
  .object({
    kind: z.literal('outputs').describe('The kind of result.'),
    complete: z
      .boolean()
      .describe('Whether the lab CLI came to its end. If not, there may be nodes that are not listed.'),
    nodes: z
      .array(nodeOutputSchema)
      .describe('In the order in which the command was run there; at most 1000.'),
  })
  .meta({ id: 'OutputsResult', description: 'The output of a command, by node.' });

type OutputsResult = Readonly<z.infer<typeof outputsSchema>>;

export const jobResultSchema = z
  .union([testsSchema, outputsSchema])
  .meta({ id: 'JobResult', description: 'The result of an action, by `kind`.' });

export type JobResult = TestsResult | OutputsResult;
