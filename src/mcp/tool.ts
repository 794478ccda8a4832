import * as z from 'zod';
import type { LabApiClient } from '../client/lab-api-client.ts';

/** A name that becomes a part of a path: with these two, a URL leads elsewhere. */
export const pathName = z
  .string()
  .min(1)
  .max(255)
  .refine((name) => name !== '.' && name !== '..', 'must be a name');

/** The answer of a tool: a sentence, and the output of the service or a lab. */
export interface Told {
  /** The next step, or an explanation. */
  readonly hint?: string | undefined;
  /** Text as it is, anything else as JSON. */
  readonly data: unknown;
}

interface ToolContext {
  readonly client: LabApiClient;
  /** Aborted when the assistant wants no answer any more. */
  readonly signal: AbortSignal;
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
  readonly run: (input: z.output<z.ZodObject<Shape>>, context: ToolContext) => Promise<Told>;
}

/** A tool in a list of tools: only its own function knows the types of its input. */
export interface Tool extends Omit<ToolSpec<z.ZodRawShape>, 'run'> {
  readonly run: (input: never, context: ToolContext) => Promise<Told>;
}

/** Lets the compiler check that the function fits what the tool declares. */
export function defineTool<Shape extends z.ZodRawShape>(spec: ToolSpec<Shape>): Tool {
  return spec;
}
