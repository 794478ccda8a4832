/** The messages between a running scenario and the service: a line of JSON each, over a Unix socket. */
import type { FaultTarget, WantedFault } from '../../labs/model/fault.ts';

export type Question =
  /** The first one on each connection. */
  | { readonly ask: 'plan'; readonly job: string }
  | { readonly ask: 'way'; readonly node: string }
  /** Answered with a sentence for each test that failed. */
  | { readonly ask: 'tests'; readonly names: readonly string[] }
  | { readonly ask: 'set'; readonly fault: WantedFault }
  | { readonly ask: 'heal'; readonly target: FaultTarget };

export type Numbered<Message> = Message & { readonly id: number };

export type Answer =
  { readonly value: unknown } | { readonly error: { readonly code: string; readonly message: string } };
