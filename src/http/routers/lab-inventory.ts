import net from 'node:net';
import type { Request } from 'express';
import * as z from 'zod';
import type { Config } from '../../config/config.ts';
import { inventoryOf, type GatewayAddress, type Inventory } from '../../labs/inventory/inventory.ts';
import { sshConfig } from '../../labs/inventory/ssh-config.ts';
import { AppError, fieldError } from '../../lib/app-error.ts';
import type { Lab } from '../../restricted/lab.ts';
import type { HttpContext } from '../context.ts';
import { flagParameter } from '../request/query.ts';
import { defineRoute } from '../route.ts';
import { labParams } from './labs.ts';

const formats = ['ansible', 'nornir', 'ssh-config'] as const;
type Format = (typeof formats)[number];

const mediaTypes = { ansible: 'text/yaml', nornir: 'text/yaml', 'ssh-config': 'text/plain' } as const;

const querySchema = z.object({
  format: z
    .enum(formats, { error: `must be one of ${formats.join(', ')}` })
    .default('ansible')
    .describe(
      'The program that reads it: `ansible`, an inventory in YAML; `nornir`, the file of hosts of its SimpleInventory; `ssh-config`, for `~/.ssh/config`.',
    ),
  proxy: flagParameter()
    .default('false')
    .describe(
      'Of `ssh-config`: whether connections go through `lab ssh --stdio` and the API, also where the gateway has a port.',
    ),
});

/** Without a port. @throws AppError `invalid-request` for a name that a file for ssh(1) cannot hold. */
function hostName(req: Request, { publicUrl }: Pick<Config, 'publicUrl'>): string {
  const named = publicUrl === undefined ? req.hostname : new URL(publicUrl).hostname;
  // A client of HTTP/1.0 may name no host.
  const host = ((named as string | undefined) ?? req.socket.localAddress ?? '').replace(/^\[(.*)\]$/, '$1');
  if (net.isIP(host) !== 0 || /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/.test(host)) return host;
  throw fieldError(
    'invalid-request',
    'Host',
    'must be a name of letters, digits, ".", "_" and "-", or an address',
  );
}

/** Where this request reached the service. */
function urlOf(req: Request, host: string, { publicUrl, basePath }: Config): string {
  if (publicUrl !== undefined) return publicUrl;
  const [, port = ''] = /(:\d+)$/.exec(req.get('X-Forwarded-Host') ?? req.host) ?? [];
  return `${req.protocol}://${net.isIPv6(host) ? `[${host}]` : host}${port}${basePath}`;
}

/** The nodes, with their roles and groups where the topology can be read. @throws AppError `lab-not-up`, and as the status does. */
async function inventoryFrom(lab: Lab, { ssh }: HttpContext): Promise<Inventory> {
  const { value } = await lab.listed({ fresh: false });
  if (value.nodes.length === 0)
    throw new AppError('lab-not-up', `the lab ${lab.id} is not up, so there are no nodes to reach`);
  const topology = await lab.topology().catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    return undefined;
  });
  return inventoryOf({ lab: lab.id, hostKey: await ssh.hostKey(), nodes: value.nodes, topology });
}

async function textOf(format: Format, inventory: Inventory, gateway: GatewayAddress): Promise<string> {
  if (format === 'ssh-config') return sshConfig(inventory, { kind: 'gateway', ...gateway });
  // The package is loaded for this alone.
  const { ansibleInventory, nornirInventory } = await import('../../labs/inventory/yaml-inventories.ts');
  return format === 'ansible' ? ansibleInventory(inventory, gateway) : nornirInventory(inventory, gateway);
}

export const getLabInventory = defineRoute({
  method: 'get',
  path: '/labs/:id/inventory',
  permission: 'read',
  about: 'lab',
  tag: 'labs',
  operationId: 'getLabInventory',
  summary: 'The nodes of a lab for Ansible, Nornir or ssh',
  description:
    'A file with each node that has a shell, at the SSH gateway of the server: its host is the one that this request was sent to (or that of `LAB_API_PUBLIC_URL`), and its user is `NODE.LAB`. There are no credentials in it. Groups of Ansible are `role_ROLE`, `device_DEVICE` and, of the topology, `group_GROUP`. A server without a gateway is 409 `ssh-off`, except for `ssh-config`, whose connections go through `lab ssh --stdio` then. In a cluster it has the gateway of the host with the lab.',
  params: labParams,
  query: querySchema,
  replies: {
    200: {
      description: 'The file.',
      content: { 'text/yaml': 'bytes', 'text/plain': 'bytes' },
      headers: ['Cache-Control'],
    },
  },
  errors: [
    'instance-not-found',
    'lab-not-up',
    'ssh-off',
    'not-supported',
    'storage-fault',
    'lab-cli-failed',
    'lab-cli-missing',
    'lab-cli-timeout',
    'shutting-down',
  ],
  handler: async ({ lab, query: { format, proxy }, req, context }) => {
    const { config, ssh } = context;
    const isProxied = format === 'ssh-config' && (proxy === 'true' || ssh.port === undefined);
    if (ssh.port === undefined && !isProxied)
      throw new AppError(
        'ssh-off',
        'the server has no SSH gateway: its administrator can set LAB_API_SSH_PORT; "lab ssh" works without it',
      );
    const host = hostName(req, config);
    const inventory = await inventoryFrom(lab, context);
    const text =
      ssh.port === undefined || isProxied
        ? sshConfig(inventory, { kind: 'proxy', host, url: urlOf(req, host, config) })
        : await textOf(format, inventory, { host, port: ssh.port });
    const headers = {
      'Content-Type': `${mediaTypes[format]}; charset=utf-8`,
      // It depends on the name by which the server was reached.
      'Cache-Control': 'no-store',
    };
    return { kind: 'bytes', bytes: Buffer.from(text), headers };
  },
});
