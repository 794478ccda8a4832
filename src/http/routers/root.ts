import type { TLSSocket } from 'node:tls';
import type { Request } from 'express';
import * as z from 'zod';
import { labRuntimes } from '../../labs/drivers/runtimes-driver.ts';
import { otherOptions } from '../../labs/program/lab-cli.ts';
import type { Config } from '../../config/config.ts';
import { keyPin } from '../../lib/net/key-pin.ts';
import type { SshService } from '../../ssh/ssh-service.ts';
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
    name: z.string().describe('Its name in `LAB_API_CLI`: `netlab`, `engine`, `containerlab`.'),
    runtime: z
      .enum(labRuntimes)
      .nullable()
      .describe(
        'Where a new lab has its containers (`LAB_API_RUNTIME`): containers of Docker, or namespaces of this machine without Docker. Null for a lab CLI whose nodes are no containers.',
      ),
    otherOptions: z
      .record(z.string(), z.array(z.string()))
      .describe('For each action: the options that only other lab CLIs have, which this server refuses.'),
  })
  .meta({ id: 'LabCli', description: 'The lab CLI of a server.' });

const listedCliSchema = labCliSchema
  .extend({
    version: z
      .string()
      .nullable()
      .describe('The version that it reports; null if it reports none or is not installed.'),
    isInstalled: z.boolean().describe('Whether it is on this machine now.'),
  })
  .meta({ id: 'ListedLabCli', description: 'A lab CLI of a server.' });

const leasesSchema = z
  .object({
    defaultTtlSeconds: z
      .number()
      .nullable()
      .describe('How long a lab lives whose `up` names no `ttlSeconds`, in seconds; null for no end.'),
    maxTtlSeconds: z
      .number()
      .nullable()
      .describe(
        'The longest time from now until the end of a lab, in seconds (`LAB_API_MAX_TTL`); null for no limit.',
      ),
  })
  .meta({ id: 'LeaseLimits', description: 'How long labs may live on this server.' });

const sshSchema = z
  .object({
    port: z.int().describe('The number of its port, on the address of the service (`LAB_API_SSH_PORT`).'),
    fingerprint: z.string().describe('Of its host key, as `ssh` shows it: `SHA256:…`.'),
    hostKey: z
      .string()
      .describe('Its host key, as a line of `known_hosts` has it behind the name of the server.'),
  })
  .meta({
    id: 'SshInfo',
    description: 'How nodes are reached over SSH (`ssh NODE.LAB@server`).',
  });

const serviceSchema = z
  .object({
    name: z.literal('lab-api').describe('Always `lab-api`.'),
    version: z.string().describe('Of the service.'),
    docs: z.string().describe('The path of the reference page on this server.'),
    host: z.string().nullable().describe('Its name in the cluster (`GET /hosts`); null outside a cluster.'),
    labCli: labCliSchema.nullable().describe('The first lab CLI; null if it is not installed.'),
    labClis: z
      .array(listedCliSchema)
      .describe('All lab CLIs, by the names that `cli` of a job may have; the first is the default.'),
    leases: leasesSchema,
    tlsPin: z
      .string()
      .nullable()
      .describe(
        'The key of the self-signed certificate of this connection, for `curl -k --pinnedpubkey` and `lab --pin`; null for other certificates, and without TLS.',
      ),
    ssh: sshSchema.nullable().describe('Null when nodes are not reached over SSH.'),
    links: z.object(linkShape).meta({ id: 'ServiceLinks', description: 'Paths of this server, by name.' }),
  })
  .meta({ id: 'ServiceInfo', description: 'The name and version of this service, and links.' });

function leasesOf({ live: { defaultTtlMs, maxTtlMs } }: Config) {
  const defaultMs = defaultTtlMs ?? maxTtlMs;
  return {
    defaultTtlSeconds: defaultMs === undefined ? null : defaultMs / 1000,
    maxTtlSeconds: maxTtlMs === undefined ? null : maxTtlMs / 1000,
  };
}

/** Clients of a proxy see the certificate of the proxy. */
function pinOf({ ip, socket }: Request, { tls }: Config): string | null {
  if (tls?.isSelfSigned !== true || ip !== socket.remoteAddress) return null;
  const certificate = (socket as Partial<TLSSocket>).getX509Certificate?.();
  return certificate ? keyPin(certificate) : null;
}

async function sshOf(ssh: SshService): Promise<z.output<typeof sshSchema> | null> {
  const { port } = ssh;
  if (port === undefined) return null;
  const { fingerprint, publicLine } = await ssh.hostKey();
  return { port, fingerprint, hostKey: publicLine };
}

/** The reply for the bare address. */
export const getServiceInfo = defineRoute({
  method: 'get',
  path: '/',
  permission: 'read',
  about: 'thisHost',
  tag: 'service',
  operationId: 'getServiceInfo',
  summary: 'The name and version of this service, and links',
  description: 'The starting point of the API.',
  params: noParams,
  query: ignoredQuery,
  replies: { 200: jsonReply('Name, version and links.', serviceSchema) },
  handler: async ({ req, context: { config, version, labs, ssh, cluster } }) => {
    const clis = labs.clis();
    const [first] = clis;
    const labCli = first?.isThere
      ? { name: first.driver.name, runtime: first.runtime, otherOptions: otherOptions(first.driver) }
      : null;
    const labClis = clis.map(({ driver, isThere: isInstalled, ...cli }) => {
      return { ...cli, isInstalled, otherOptions: otherOptions(driver) };
    });
    const links = Object.fromEntries(linkNames.map((name) => [name, config.basePath + linkPaths[name]]));
    const docs = `${config.basePath}/docs`;
    const host = cluster?.name ?? null;
    const leases = leasesOf(config);
    const tlsPin = pinOf(req, config);
    const sshInfo = await sshOf(ssh);
    return {
      kind: 'json',
      status: 200,
      value: { name: 'lab-api', version, docs, host, labCli, labClis, leases, tlsPin, ssh: sshInfo, links },
    };
  },
});
