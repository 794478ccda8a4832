/** Faults: links and nodes of a lab that are broken on purpose, until they are healed. */
import * as z from 'zod';
import { impairmentShape } from './impairment.ts';

export const linkFaultKinds = ['down', 'silent', 'impaired'] as const;
export const nodeFaultKinds = ['isolated', 'paused', 'killed'] as const;

export type FaultKind = (typeof linkFaultKinds)[number] | (typeof nodeFaultKinds)[number];

/** A week: a fault that is to stay longer is a change of the lab. */
export const maxFaultSeconds = 7 * 24 * 3_600;

export const faultSchema = z
  .object({
    link: z
      .string()
      .nullable()
      .describe('The `id` of the link, as `GET /labs/{id}/links` has it; null for a fault of a node.'),
    node: z
      .string()
      .nullable()
      .describe(
        'The node; of a link, the only node that is cut off from it. Null if the link is broken for all.',
      ),
    kind: z
      .enum([...linkFaultKinds, ...nodeFaultKinds])
      .describe(
        '`down`: the interfaces at the link are down. `silent`: they stay up and lose every frame. `impaired`: frames are delayed or lost. `isolated`: all links of the node are down. `paused`: its processes are stopped. `killed`: one of its processes was killed.',
      ),
    process: z.string().nullable().describe('The process that was killed; null for any other kind.'),
    impairment: z
      .object(impairmentShape)
      .meta({ id: 'FaultImpairment', description: 'The impairment of both directions of a link.' })
      .nullable()
      .describe('The impairment at both ends; null for any other kind.'),
    user: z.string().nullable().describe('The user who set it; null on a service without users.'),
    setAt: z.iso.datetime().describe('When it was set (RFC 3339, UTC).'),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .describe('When the service heals it (RFC 3339, UTC); null: when a user does.'),
  })
  .meta({ id: 'Fault', description: 'A link or a node of a lab that is broken on purpose.' });

export type Fault = Readonly<z.output<typeof faultSchema>>;

/** The part of a fault that a user asks for. */
export type WantedFault = Pick<Fault, 'link' | 'node' | 'kind' | 'process' | 'impairment'> & {
  /** Undefined: until a user heals it. */
  readonly ttlSeconds: number | undefined;
};

/** A link or a node has one fault at most. */
export type FaultTarget = Pick<Fault, 'link' | 'node'>;

export function targetKey({ link, node }: FaultTarget): string {
  return link === null ? `node ${node ?? ''}` : `link ${link}`;
}

/** For sentences: `link 2`, `r3 at link 7`, `node r1`. */
export function targetWords({ link, node }: FaultTarget): string {
  if (link === null) return `node ${node ?? ''}`;
  return node === null ? `link ${link}` : `${node} at link ${link}`;
}
