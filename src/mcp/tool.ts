import * as z from 'zod';
import type { Ask, Operation, Reply } from './ask.ts';

// Limits that an assistant will not reach are no part of the schemas: all of these are in its way all the time.

/** Whether it may become a part of a path: with `.` and `..`, a URL leads elsewhere, and half a character has no bytes. */
const isPart = (part: string): boolean =>
  !['', '.', '..'].includes(part) && part.length <= 255 && !/\p{Surrogate}/u.test(part);

/** A name that becomes a part of a path. */
export const pathName = z.string().refine(isPart, 'must be a name in Unicode, of at most 255 characters');

/** The same for a path below a directory. */
export const filePath = z
  .string()
  .refine(
    (path) => path.split('/').every(isPart),
    'must be a path below the directory, in Unicode, in which no part is empty, "." or ".."',
  );

/** Inputs that many tools have. */
export const lab = pathName.describe('The id of the lab, from list_labs.');
export const node = pathName.describe('The name of the node.');
export const cli = z.string().optional().describe('The lab CLI, if there are several.');
export const host = z.string().optional().describe('Of a cluster: the lab server, from list_hosts.');
export const ttlSeconds = z
  .number()
  .positive()
  .optional()
  .describe('How long the lab lives once it is up, in seconds.');

/** Clients give a tool a minute; the answer has to come before. */
const longestWaitSeconds = 50;
export const seconds = z
  .number()
  .min(0)
  .max(longestWaitSeconds)
  .default(30)
  .describe(`Maximum time to wait, 0 to ${longestWaitSeconds}; 0 returns at once.`);

/** The answer of a tool: a sentence, and the output of the service or a lab. */
export interface Told {
  /** The next step, or an explanation. */
  readonly hint?: string | undefined;
  /** Text as it is, anything else as JSON; undefined if the sentence says all. */
  readonly data?: unknown;
}

interface ToolSpec<Shape extends z.ZodRawShape> {
  /** As the protocol has it: letters, digits and `_`. */
  readonly name: string;
  readonly title: string;
  /** For the assistant: what it does, when to use it, what comes back. */
  readonly description: string;
  readonly input: Shape;
  /** `looks`: changes nothing. `destroys`: something is lost that the assistant did not make itself. */
  readonly effect: 'looks' | 'changes' | 'destroys';
  /** The operations of the API that it uses. Without `run`, it is the first, and its inputs are its parameters and fields. */
  readonly operations: readonly [Operation, ...Operation[]];
  /** The names in the API of inputs that are called otherwise. */
  readonly names?: Readonly<Record<string, string>>;
  /** Fields that every request of it has. */
  readonly fixed?: Readonly<Record<string, unknown>>;
  /** The part of a reply that the assistant gets; absent: all. */
  readonly tell?: (reply: Reply) => Told;
  /** How to get what was cut from a long answer, as a sentence. Absent: a tool that looks takes `offset`. */
  readonly rest?: string;
  readonly run?: (input: z.output<z.ZodObject<Shape>>, ask: Ask) => Promise<Told>;
}

/** A tool in a list of tools: only its own function knows the types of its input. */
export interface Tool extends Omit<ToolSpec<z.ZodRawShape>, 'run'> {
  readonly run?: (input: never, ask: Ask) => Promise<Told>;
}

/** Lets the compiler check that the function fits what the tool declares. */
export function defineTool<Shape extends z.ZodRawShape>(spec: ToolSpec<Shape>): Tool {
  return spec;
}

/** Whether a long answer of it can be read on from an `offset`. */
export function isPaged({ effect, rest }: Tool): boolean {
  return effect === 'looks' && rest === undefined;
}

// `z.int()` would put its largest number into the schema of each tool.
const offset = z
  .number()
  .min(0)
  .refine(Number.isInteger, 'must be a whole number')
  .default(0)
  .describe('Of a long answer: the first character.');

/** The inputs of a tool: its own, and those that all tools of its kind have. Others are refused. */
export function inputOf(tool: Tool): z.ZodObject {
  const isOfLab = tool.operations.some((operation) => operation.includes('/{lab}'));
  return z.strictObject({
    ...tool.input,
    ...(isOfLab && { cli }),
    ...(isPaged(tool) && { offset }),
  });
}
