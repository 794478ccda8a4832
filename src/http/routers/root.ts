import * as z from 'zod';
import { otherOptions } from '../../labs/program/lab-cli.ts';
import { defineRoute, ignoredQuery, jsonReply, noParams } from '../route.ts';

const linkPaths = {
  healthz: '/healthz',
  readyz: '/readyz',
  jobs: '/jobs',
  events: '/events',
  labs: '/labs',
  status: '/status',
  templates: '/templates',
  metrics: '/metrics',
  openapi: '/openapi.json',
} as const;

type LinkName = keyof typeof linkPaths;

const linkNames = Object.keys(linkPaths) as readonly LinkName[];
const linkShape = Object.fromEntries(
  linkNames.map((name) => [name, z.string().describe(`The path of \`${linkPaths[name]}\` on this server.`)]),
) as Record<LinkName, z.ZodString>;

const labCliSchema = z
  .object({
    name: z.string().describe('What `LAB_API_CLI` calls it: `netlab`, `engine`, `containerlab`.'),
    otherOptions: z
      .record(z.string(), z.array(z.string()))
      .describe(
        'By action: the options that it has with other lab CLIs only, and is refused with on this server.',
      ),
  })
  .meta({ id: 'LabCli', description: 'The lab CLI of a server.' });

const listedCliSchema = labCliSchema
  .extend({
    version: z
      .string()
      .nullable()
      .describe('What it says of itself; null when it does not, or is not there.'),
    isInstalled: z.boolean().describe('Whether it is on this machine now.'),
  })
  .meta({ id: 'ListedLabCli', description: 'A lab CLI of a server.' });

const serviceSchema = z
  .object({
    name: z.literal('lab-api').describe('Always `lab-api`.'),
    version: z.string().describe('Of the service.'),
    docs: z.string().describe('The path of the reference page on this server.'),
    host: z
      .string()
      .nullable()
      .describe('What it is called in its cluster (`GET /hosts`); null for a service that works alone.'),
    labCli: labCliSchema.nullable().describe('The program that runs its labs; null when there is none.'),
    labClis: z
      .array(listedCliSchema)
      .describe(
        'All of them, by the names that `cli` of a job may have; the first is that of jobs and labs that name none.',
      ),
    links: z
      .object(linkShape)
      .meta({ id: 'ServiceLinks', description: 'Paths on this server to go on with, by name.' }),
  })
  .meta({ id: 'ServiceInfo', description: 'What this service is, and where to go on.' });

/** For whoever opens the bare address: what this is, and where to go on. */
export const getServiceInfo = defineRoute({
  method: 'get',
  path: '/',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getServiceInfo',
  summary: 'What this service is, and where to go on',
  description: 'For whoever opens the bare address.',
  params: noParams,
  query: ignoredQuery,
  replies: { 200: jsonReply('Name, version and links.', serviceSchema) },
  handler: ({ context: { config, version, labs, cluster } }) => {
    const clis = labs.clis();
    const [first] = clis;
    const labCli = first?.isThere
      ? { name: first.driver.name, otherOptions: otherOptions(first.driver) }
      : null;
    const labClis = clis.map(({ driver, isThere: isInstalled, ...cli }) => {
      return { ...cli, isInstalled, otherOptions: otherOptions(driver) };
    });
    const links = Object.fromEntries(linkNames.map((name) => [name, config.basePath + linkPaths[name]]));
    const docs = `${config.basePath}/docs`;
    const host = cluster?.name ?? null;
    return {
      kind: 'json',
      status: 200,
      value: { name: 'lab-api', version, docs, host, labCli, labClis, links },
    };
  },
});
