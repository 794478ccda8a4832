/** Tools that look at labs and reach into their nodes. */
import * as z from 'zod';
import { ServiceError } from '../client/service-error.ts';
import { defineTool, pathName } from './tool.ts';

const lab = pathName.describe('The id of the lab, as list_labs returns it.');
const longestCommandSeconds = 45;

const part = encodeURIComponent;

const listTemplates = defineTool({
  name: 'list_templates',
  title: 'List topologies',
  description:
    'Lists the topology files on the server from which labs can be started: title, description, numbers of nodes and links, and the path for start_lab.',
  input: {
    directory: z.string().optional().describe("A directory on the server; default: the server's own."),
    recursive: z.boolean().optional().describe('Whether to include subdirectories.'),
  },
  effect: 'looks',
  run: async ({ directory: dir, recursive }, { client, signal }) => ({
    data: await client.request('GET', '/templates', { query: { dir, recursive }, signal }),
  }),
});

const listLabs = defineTool({
  name: 'list_labs',
  title: 'List the labs that run',
  description: 'Lists all labs on the server, including those of other users, by id.',
  input: {},
  effect: 'looks',
  run: async (_input, { client, signal }) => {
    try {
      return { data: await client.request('GET', '/labs', { signal }) };
    } catch (error) {
      // An older service has the lab CLI's own document alone.
      if (error instanceof ServiceError && error.code === 'not-found') return { data: await client.status() };
      throw error;
    }
  },
});

const labStatus = defineTool({
  name: 'lab_status',
  title: 'The state of a lab',
  description: 'Returns a lab with its nodes, and whether each node is up.',
  input: { lab },
  effect: 'looks',
  run: async ({ lab: id }, { client, signal }) => ({
    data: await client.request('GET', `/status/${part(id)}`, { query: { output: 'json' }, signal }),
  }),
});

const labTopology = defineTool({
  name: 'lab_topology',
  title: 'The topology of a lab',
  description: 'Returns the nodes of a lab with their interfaces and addresses, and the links between them.',
  input: { lab },
  effect: 'looks',
  run: async ({ lab: id }, { client, signal }) => ({
    data: await client.request('GET', `/labs/${part(id)}/topology`, { signal }),
  }),
});

const runInNode = defineTool({
  name: 'run_in_node',
  title: 'Run a command in a node',
  description:
    'Runs a command in a node of a lab and returns its exit code and output. The command is a list of arguments without a shell: ["vtysh", "-c", "show ip route"]. It must end by itself: ping -c 3, not ping.',
  input: {
    lab,
    node: pathName.describe('The name of the node.'),
    command: z.array(z.string()).min(1).max(100).describe('The program and its arguments.'),
    timeoutSeconds: z
      .number()
      .positive()
      .max(longestCommandSeconds)
      .default(20)
      .describe(`Timeout in seconds; at most ${longestCommandSeconds}.`),
  },
  effect: 'destroys',
  run: async ({ lab: id, node, command, timeoutSeconds }, { client, signal }) => ({
    data: await client.request('POST', `/labs/${part(id)}/nodes/${part(node)}/exec`, {
      body: { command, timeoutSeconds },
      signal,
    }),
  }),
});

export const labTools = [listTemplates, listLabs, labStatus, labTopology, runInNode];
