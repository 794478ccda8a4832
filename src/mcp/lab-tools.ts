/** Tools that look at labs, and change what the service knows of them. */
import * as z from 'zod';
import { defineTool, lab, pathName, seconds } from './tool.ts';

export const shares = z
  .array(
    z.strictObject({ kind: z.enum(['user', 'group']), name: z.string(), as: z.enum(['viewer', 'operator']) }),
  )
  .describe('All users and groups with whom it is shared from now on; an empty list ends all shares.');
export const owner = z.string().min(1).describe('The name of the new owner.');

export const labTools = [
  defineTool({
    name: 'list_templates',
    title: 'List topologies',
    description:
      'Lists the topology files on the server from which labs can be started: title, description, numbers of nodes and links, and the path for start_lab.',
    input: {
      directory: z.string().optional().describe("A directory on the server; default: the server's own."),
      recursive: z.boolean().optional().describe('Whether to include subdirectories.'),
    },
    effect: 'looks',
    operations: ['GET /templates'],
    names: { directory: 'dir' },
  }),
  defineTool({
    name: 'list_labs',
    title: 'List the labs that run',
    description: 'Lists all labs on the server, including those of other users, by id.',
    input: {},
    effect: 'looks',
    operations: ['GET /labs'],
  }),
  defineTool({
    name: 'list_stopped_labs',
    title: 'List labs that can be started again',
    description: 'Lists labs that have ended: retry_job with startJob of one starts it again.',
    input: {},
    effect: 'looks',
    operations: ['GET /stopped-labs'],
  }),
  defineTool({
    name: 'search_labs',
    title: 'Find addresses and names',
    description: 'Finds an address, a prefix, an AS number, a module, a device or a name in all labs.',
    input: {
      q: z
        .string()
        .min(1)
        .max(200)
        .describe('10.1.0.5, 10.1.0.0/16, as:65001, module:ospf, device:frr, or a part of a name.'),
      limit: z.int().min(1).max(1000).optional().describe('The greatest number of matches; default: 100.'),
    },
    effect: 'looks',
    operations: ['GET /search'],
  }),
  defineTool({
    name: 'lab_status',
    title: 'The state of a lab',
    description: 'Returns a lab with its nodes, and whether each node is up, in the words of the lab CLI.',
    input: { lab },
    effect: 'looks',
    operations: ['GET /status/{lab}'],
    fixed: { output: 'json' },
  }),
  defineTool({
    name: 'wait_for_lab',
    title: 'Wait until a lab is ready',
    description:
      'Waits until the daemons of all nodes of a lab answer, or for the given number of seconds, and returns the lab with owner, end, faults, jobs and nodes.',
    input: { lab, seconds },
    effect: 'looks',
    operations: ['GET /labs/{lab}'],
    names: { seconds: 'timeout' },
    fixed: { wait: 'ready' },
  }),
  defineTool({
    name: 'lab_topology',
    title: 'The topology of a lab',
    description:
      'Returns the nodes of a lab with their interfaces and addresses, and the links between them.',
    input: { lab },
    effect: 'looks',
    operations: ['GET /labs/{lab}/topology'],
  }),
  defineTool({
    name: 'lab_traffic',
    title: 'The traffic of a lab',
    description:
      'Returns the counters of the interfaces at the links of a lab: two readings give a rate, by the difference of readAtMs.',
    input: { lab },
    effect: 'looks',
    operations: ['GET /labs/{lab}/traffic'],
  }),
  defineTool({
    name: 'lab_inventory',
    title: 'An inventory of a lab',
    description: 'Returns the nodes of a lab as a file for Ansible, Nornir or ssh, without credentials.',
    input: { lab, format: z.enum(['ansible', 'nornir', 'ssh-config']).optional() },
    effect: 'looks',
    operations: ['GET /labs/{lab}/inventory'],
  }),
  defineTool({
    name: 'list_tests',
    title: 'List the tests of a lab',
    description: 'Lists the tests that validate_lab runs.',
    input: { lab },
    effect: 'looks',
    operations: ['GET /labs/{lab}/tests'],
  }),
  defineTool({
    name: 'list_reports',
    title: 'List reports of a lab',
    description: 'Lists the reports that the lab CLI can make of a lab, such as its addressing.',
    input: { lab },
    effect: 'looks',
    operations: ['GET /labs/{lab}/reports'],
  }),
  defineTool({
    name: 'read_report',
    title: 'Read a report of a lab',
    description: 'Returns a report of a lab as text, Markdown or HTML.',
    input: { lab, name: pathName.describe('Its name, from list_reports.') },
    effect: 'looks',
    operations: ['GET /labs/{lab}/reports/{name}'],
  }),
  defineTool({
    name: 'set_lease',
    title: 'Set the end of a lab',
    description: 'Gives a lab more time, less, or no end: the service stops it when the time is over.',
    input: {
      lab,
      ttlSeconds: z.number().positive().nullable().describe('Seconds from now; null for no end.'),
    },
    effect: 'destroys',
    operations: ['PATCH /labs/{lab}'],
  }),
  defineTool({
    name: 'share_lab',
    title: 'Share a lab',
    description: 'Replaces the list of users and groups who may read (viewer) or use (operator) a lab.',
    input: { lab, shares },
    effect: 'destroys',
    operations: ['PUT /labs/{lab}/shares'],
  }),
  defineTool({
    name: 'give_lab',
    title: 'Give a lab away',
    description: 'Makes another user the owner of a lab.',
    input: { lab, owner },
    effect: 'destroys',
    operations: ['PUT /labs/{lab}/owner'],
  }),
];
