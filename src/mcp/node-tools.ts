/** Tools that reach into nodes. */
import * as z from 'zod';
import { ConnectionError, ServiceError } from '../client/service-error.ts';
import { mapBounded } from '../lib/async/map-bounded.ts';
import { defineTool, lab, node, pathName } from './tool.ts';

const longestCommandSeconds = 45;
const longestCaptureSeconds = 30;
const mostPackets = 200;
const mostNodes = 50;

const commandInputs = {
  command: z.array(z.string()).min(1).max(100).describe('The program and its arguments.'),
  timeoutSeconds: z
    .number()
    .positive()
    .max(longestCommandSeconds)
    .default(20)
    .describe(`Timeout in seconds; at most ${longestCommandSeconds}.`),
  stdin: z.string().optional().describe('The standard input of the command.'),
};
const lessOutput = 'Let the command print less, such as with grep, head or tail in ["sh", "-c", "…"].';

const interfaceOfNode = {
  lab,
  node,
  interface: pathName.describe('The name of the interface, from lab_topology.'),
};

/** How many nodes are read at once: the service has a limit on what is open in nodes. */
const readAtOnce = 4;

const readConfiguration = defineTool({
  name: 'read_configuration',
  title: 'Read running configurations',
  description:
    'Returns the running configurations of nodes of a lab, each as text; they can have passwords in them. A node that refuses has its reason in that place.',
  input: { lab, nodes: z.array(pathName).min(1).max(mostNodes).describe('The names of the nodes.') },
  effect: 'looks',
  operations: ['GET /labs/{lab}/nodes/{node}/configuration'],
  run: async ({ nodes, ...where }, ask) => {
    const refusals: Error[] = [];
    const read = async (name: string): Promise<string> => {
      try {
        const { text } = await ask('GET /labs/{lab}/nodes/{node}/configuration', { ...where, node: name });
        return `### ${name}\n${text}`;
      } catch (error) {
        if (!(error instanceof ServiceError || error instanceof ConnectionError)) throw error;
        refusals.push(error);
        return `### ${name}\nRefused or failed: ${error.message}`;
      }
    };
    const names = [...new Set(nodes)];
    const texts = await mapBounded(names, readAtOnce, read);
    const [refusal] = refusals;
    // Such as a lab that is not there, or a user who may not read it: the error has the next step.
    if (refusal && refusals.length === names.length) throw refusal;
    const hint = refusal && `${refusals.length} of ${names.length} nodes refused or failed.`;
    return { hint, data: texts.join('\n') };
  },
});

export const nodeTools = [
  defineTool({
    name: 'run_in_node',
    title: 'Run a command in a node',
    description:
      'Runs a command in a node of a lab and returns its exit code and output. The command is a list of arguments without a shell: ["vtysh", "-c", "show ip route"]. It must end by itself: ping -c 3, not ping.',
    input: { lab, node, ...commandInputs },
    effect: 'destroys',
    operations: ['POST /labs/{lab}/nodes/{node}/exec'],
    rest: lessOutput,
  }),
  defineTool({
    name: 'run_in_nodes',
    title: 'Run a command in many nodes',
    description:
      'Runs a command, as run_in_node does, in many nodes at once; nodes with the same answer stand together, so the odd one stands out.',
    input: {
      lab,
      nodes: z
        .array(z.string().min(1))
        .min(1)
        .max(256)
        .describe('Names, "all", patterns such as "r*", ranges such as "r[1-3]", or groups of the topology.'),
      ...commandInputs,
    },
    effect: 'destroys',
    operations: ['POST /labs/{lab}/exec'],
    rest: `${lessOutput} Or name fewer nodes.`,
  }),
  readConfiguration,
  defineTool({
    name: 'read_node_log',
    title: 'Read the log of a node',
    description: 'Returns the last lines of the log of a node that is a container.',
    input: {
      lab,
      node,
      lines: z.int().min(1).max(10_000).default(60).describe('How many lines, 1 to 10000.'),
    },
    effect: 'looks',
    operations: ['GET /labs/{lab}/nodes/{node}/log'],
    names: { lines: 'tail' },
    fixed: { plain: true },
  }),
  defineTool({
    name: 'capture_packets',
    title: 'Capture packets',
    description:
      'Captures packets at an interface for some seconds and returns them as text, as tcpdump -nev prints them.',
    input: {
      ...interfaceOfNode,
      filter: z
        .string()
        .optional()
        .describe('Which packets, as pcap-filter(7) has it, such as "ip proto ospf".'),
      seconds: z
        .number()
        .positive()
        .max(longestCaptureSeconds)
        .default(10)
        .describe(`It ends after so many seconds; at most ${longestCaptureSeconds}.`),
      packets: z
        .int()
        .min(1)
        .max(mostPackets)
        .default(50)
        .describe(`It ends after so many packets; at most ${mostPackets}.`),
    },
    effect: 'looks',
    operations: ['GET /labs/{lab}/nodes/{node}/interfaces/{interface}/capture'],
    fixed: { output: 'text' },
    rest: 'Capture fewer packets, or give a filter.',
    tell: ({ text }) => {
      const printed = text.trim();
      return printed === '' ? { hint: 'No packet came in that time.' } : { data: printed };
    },
  }),
  defineTool({
    name: 'read_impairment',
    title: 'Read an impairment',
    description: 'Returns the delay, loss and rate of packets that leave a node at an interface.',
    input: interfaceOfNode,
    effect: 'looks',
    operations: ['GET /labs/{lab}/nodes/{node}/interfaces/{interface}/impairment'],
  }),
  defineTool({
    name: 'set_impairment',
    title: 'Impair an interface',
    description:
      'Delays or loses packets that leave a node at an interface, until remove_impairment; set_fault does it at both ends of a link, and for a time.',
    input: {
      ...interfaceOfNode,
      delayMs: z.number().optional(),
      jitterMs: z.number().optional(),
      lossPercent: z.number().optional(),
      duplicatePercent: z.number().optional(),
      corruptPercent: z.number().optional(),
      rateKbps: z.number().optional(),
    },
    effect: 'destroys',
    operations: ['PUT /labs/{lab}/nodes/{node}/interfaces/{interface}/impairment'],
  }),
  defineTool({
    name: 'remove_impairment',
    title: 'End an impairment',
    description: 'Ends the impairment of an interface.',
    input: interfaceOfNode,
    effect: 'changes',
    operations: ['DELETE /labs/{lab}/nodes/{node}/interfaces/{interface}/impairment'],
  }),
];
