/** A lab as clients see it. */
import * as z from 'zod';
import { labRuntimes } from '../../labs/drivers/runtimes-driver.ts';
import { labStates, nodeStates } from '../../labs/drivers/status-driver.ts';
import { gitCommitSchema } from '../../labs/model/git-source.ts';
import { faultSchema } from '../../labs/model/fault.ts';
import { missingHostsSchema } from './missing-hosts.ts';
import { sharesSchema } from './share-schemas.ts';

export const labStateMeta = {
  id: 'LabState',
  description:
    'How far a lab is. `missing`: it was started, and none of its nodes is there (the machine was rebooted, say). `starting`, `stopping`: in progress or interrupted. `other`: the lab CLI says something else; `GET /status` has its words.',
};
const nodeStateMeta = {
  id: 'NodeState',
  description:
    'Whether a node runs. A node whose container was started again without its links is `down`. `unknown`: the lab CLI does not look after it, or Docker does not answer.',
};

const labNodeSchema = z
  .object({
    name: z.string().describe('As the topology calls it.'),
    device: z.string().nullable().describe('Its device type, such as `frr`, or null.'),
    provider: z.string().nullable().describe('The provider of the node, such as `clab` or `netns`, or null.'),
    image: z.string().nullable().describe('The image of its container or machine, or null.'),
    address: z.string().nullable().describe('The address by which it is managed, or null.'),
    state: z.enum(nodeStates).meta(nodeStateMeta),
    since: z.iso
      .datetime()
      .nullable()
      .describe(
        'The approximate time at which it came up (RFC 3339, UTC), rounded by the lab CLI. Null if it is not up, or if the time is unknown.',
      ),
    ready: z
      .boolean()
      .nullable()
      .describe(
        'Whether it can be worked with: the daemons of FRR answer, Docker finds its container healthy, or SSH answers; a plain Linux node and a node of the bundled engine are ready as soon as they are up. True until it is down or started again. Null when nothing tells, or it was not checked yet.',
      ),
    readyReason: z
      .string()
      .nullable()
      .describe('Why it is not ready, or why that is unknown: a sentence for a person. Null if it is ready.'),
  })
  .meta({ id: 'LabNode', description: 'A node of a lab that was started.' });

export const labSchema = z
  .object({
    id: z
      .string()
      .describe(
        'The lab instance, as `GET /status` calls it and as jobs name it; in a cluster with its host, `default@lab2`.',
      ),
    cli: z.string().describe('The lab CLI that has it, as `GET /` calls it.'),
    host: z.string().nullable().describe('The lab server that it is on; null on a service that works alone.'),
    name: z
      .string()
      .nullable()
      .describe(
        'The name that the lab CLI uses, or null. netlab uses `ml-7` for a lab with multilab id 7, regardless of the name in its topology.',
      ),
    state: z.enum(labStates).meta(labStateMeta),
    workdir: z
      .string()
      .nullable()
      .describe('The directory that it lives in; null when the lab CLI does not tell.'),
    workspace: z.string().nullable().describe('The workspace that it lives in; null when that is none.'),
    source: gitCommitSchema
      .nullable()
      .describe('The commit that the files of its workspace came from; null when they came otherwise.'),
    nodes: z
      .array(labNodeSchema)
      .describe('Its nodes; none as long as the lab CLI tells none, such as while the lab starts.'),
    ready: z
      .boolean()
      .nullable()
      .describe(
        'Whether all of its nodes are ready. Nodes with null do not count; null when all nodes have null, or a node was not checked yet. Routing may converge later.',
      ),
    problem: z
      .string()
      .nullable()
      .describe(
        'Why the nodes are unknown, or which of them are down or have lost their links: a sentence for a person. Null when there is nothing to say.',
      ),
    provider: z.string().nullable().describe('The provider of its nodes; the first of several.'),
    runtime: z
      .enum(labRuntimes)
      .nullable()
      .describe(
        'Where its containers run: containers of Docker, or namespaces of the machine without Docker. Null when its nodes are no containers, and as long as they are not there.',
      ),
    startedAt: z.iso
      .datetime()
      .nullable()
      .describe(
        'When it was started (RFC 3339, UTC); null if it was not started, or if the time is unknown.',
      ),
    expiresAt: z.iso
      .datetime()
      .nullable()
      .describe('When its lease ends (RFC 3339, UTC); null when it has none.'),
    owner: z
      .string()
      .nullable()
      .describe(
        'The user whose job started it; null if unknown, such as for a lab that was started from a shell.',
      ),
    shares: sharesSchema,
    faults: z
      .array(faultSchema)
      .describe('Its links and nodes that are broken on purpose, in the order in which they were set.'),
    jobs: z.array(z.string()).describe('The ids of its last jobs, newest first; at most ten.'),
    may: z
      .array(z.string())
      .describe(
        'The ways to change it or to enter its nodes that the user of the request has: each an `action` of `POST /jobs` that its lab CLI has, such as `restart`, or an `operationId` of a route about a lab, such as `changeLab`. Empty for users who only read it. As long as a job of another user runs there, jobs may be refused all the same.',
      ),
  })
  .meta({ id: 'Lab', description: 'A lab on this server, in the same words whatever lab CLI runs it.' });

export const labListSchema = z
  .object({
    labs: z.array(labSchema).describe('Sorted by lab CLI, and within each as it lists them.'),
    missingClis: z
      .array(z.string())
      .optional()
      .describe(
        'Of several lab CLIs, and only where there are any: those that did not answer, in a cluster as `netlab@lab2`; `?cli=` tells why. Their labs are as they were at the last answer, or missing.',
      ),
    missingHosts: missingHostsSchema,
  })
  .meta({ id: 'LabList', description: 'The labs on this server.' });
