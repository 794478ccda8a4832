import * as z from 'zod';
import { mostEndpoints } from '../../labs/search/facts-of.ts';
import { foundThings, matchKinds } from '../../labs/search/find-in-lab.ts';
import { maxQuery, queryKinds, readSearch } from '../../labs/search/search-query.ts';
import type { FoundInLab, SearchResult } from '../../labs/search/search-labs.ts';
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import { labIdOf } from '../cluster/lab-ids.ts';
import { mergeSearch } from '../cluster/merges.ts';
import { missingHostsSchema } from '../reply/missing-hosts.ts';
import { once, wholeNumberParameter } from '../request/query.ts';
import { defineRoute, hostQuery, jsonReply, noParams } from '../route.ts';

const usualLimit = 100;
const maxLimit = 1_000;

const labShape = {
  lab: z.string().describe('The `id` of the lab, as `GET /labs` has it.'),
  host: z.string().nullable().describe('The lab server that it is on; null on a service that works alone.'),
  cli: z.string().describe('The lab CLI that has it, as `GET /` calls it.'),
};

const matchSchema = z
  .object({
    ...labShape,
    match: z.enum(matchKinds).meta({
      id: 'SearchMatchKind',
      description:
        'How the value fits. `has`: it is what was asked for, or a name with that in it. `inside`: it lies in the prefix that was asked for. `contains`: the address or prefix that was asked for lies in it.',
    }),
    thing: z.enum(foundThings).meta({
      id: 'SearchThing',
      description:
        'The thing that has the value: an interface, a loopback, the management address of a node, the prefix of a link, the AS, a module, the device or the name of a node, or the id or the name of a lab.',
    }),
    node: z.string().nullable().describe('The name of the node; null for a lab or a link.'),
    interface: z.string().nullable().describe('The name of the interface; null for anything else.'),
    link: z
      .string()
      .nullable()
      .describe(
        'The `id` of the link in the topology, or of the link of the interface; null for anything else.',
      ),
    value: z.string().describe('The value that fits, as the topology has it: `10.1.0.5/30`.'),
    endpoints: z
      .array(
        z.object({
          node: z.string().describe('The name of the node.'),
          interface: z.string().describe('The name of its interface.'),
        }),
      )
      .describe(`Of a link: its ends, at most ${mostEndpoints} of them. Empty for anything else.`),
  })
  .meta({ id: 'SearchMatch', description: 'A value in a lab that fits a search.' });

const searchSchema = z
  .object({
    query: z
      .object({
        kind: z.enum(queryKinds).meta({ id: 'SearchKind', description: 'The meaning of `q`.' }),
        value: z
          .string()
          .describe(
            'The value that was searched for: an address or prefix in its canonical form, or a word.',
          ),
      })
      .describe('The search as it was understood.'),
    matches: z
      .array(matchSchema)
      .describe('`has` before `inside` before `contains`; each in the order of `GET /labs`.'),
    truncated: z.boolean().describe('Whether there are more matches than `limit`.'),
    incomplete: z
      .array(z.object({ ...labShape, reason: z.string().describe('A sentence for a person.') }))
      .describe(
        'The labs whose topology was not searched: it cannot be read, or that takes longer than ten seconds. Their names, devices and management addresses were searched: the status tells them.',
      ),
    missingClis: z
      .array(z.string())
      .optional()
      .describe(
        'As in `GET /labs`: those of several lab CLIs that did not answer, and only where there are any.',
      ),
    missingHosts: missingHostsSchema,
  })
  .meta({ id: 'SearchResult', description: 'The answer to a search over labs.' });

type Cluster = ClusterService | undefined;

function labOf({ id, cli }: FoundInLab['lab'], cluster: Cluster) {
  return { lab: labIdOf(id, cluster), host: cluster?.name ?? null, cli };
}

function viewOf({ matches, isTruncated, incomplete }: SearchResult, cluster: Cluster) {
  return {
    matches: matches.map(({ lab, ...found }) => ({ ...labOf(lab, cluster), ...found })),
    truncated: isTruncated,
    incomplete: incomplete.map(({ lab, reason }) => ({ ...labOf(lab, cluster), reason })),
  };
}

const searchParameter = once
  .transform((text, context) => {
    const query = readSearch(text);
    if (typeof query !== 'string') return query;
    context.addIssue(query);
    return z.NEVER;
  })
  .meta({ documentedAs: { type: 'string', minLength: 1, maxLength: maxQuery } });

export const searchLabs = defineRoute({
  method: 'get',
  path: '/search',
  permission: 'read',
  about: 'everyHost',
  tag: 'labs',
  operationId: 'searchLabs',
  isByCli: true,
  summary: 'Find addresses, prefixes, AS numbers, modules, devices and names in labs',
  description:
    'Searches the labs that `GET /labs` lists. Addresses are compared as values: `2001:DB8:0::1` finds `2001:db8::1`. An address finds the interfaces, loopbacks and management addresses that have it, then the prefixes that contain it; a prefix finds the addresses and prefixes inside it, then those that contain it. Topologies are read as `GET /labs/{id}/topology` does, each once for all searches as long as its snapshot stays as it is, and two at a time.',
  params: noParams,
  query: z.object({
    ...hostQuery.shape,
    q: searchParameter.describe(
      'An address (`10.1.0.5`), a prefix (`10.1.0.0/16`; host bits do not count), `as:65001` (or `AS65001`, `as:1.10`), `module:ospf`, `device:frr`; anything else is a part of the name of a node or a lab, or of the id of a lab. Upper and lower case are the same.',
    ),
    limit: wholeNumberParameter(1, maxLimit).default(usualLimit).describe('The greatest number of matches.'),
  }),
  replies: { 200: jsonReply('The matches.', searchSchema) },
  errors: ['lab-cli-failed', 'lab-cli-missing', 'lab-cli-timeout', 'shutting-down'],
  handler: async ({ query: { q, limit }, context: { labs, cluster } }) => {
    const { missingClis, ...result } = await labs.search(q, limit);
    const missing = missingClis.map((name) => labIdOf(name, cluster));
    const value = {
      query: { kind: q.kind, value: q.text },
      ...viewOf(result, cluster),
      ...(missing.length > 0 && { missingClis: missing }),
    };
    return { kind: 'json', status: 200, value };
  },
  merge: (answers, { query: { limit } }) => ({ value: mergeSearch(answers, limit) }),
});
