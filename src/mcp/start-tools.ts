/** Tools that submit jobs: they start, change, test and stop labs, and return the id of a job at once. */
import * as z from 'zod';
import { tellJob } from './tell-job.ts';
import { cli, defineTool, filePath, host, lab, ttlSeconds, type Tool } from './tool.ts';

interface JobSpec {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodRawShape;
  readonly effect: Tool['effect'];
  /** Absent: an input of the tool. */
  readonly action?: string;
  readonly replace?: true;
}

/** A tool for a job. Which fields go together, the service knows; it may be newer than this program. */
export function jobTool({ action, replace, input, ...spec }: JobSpec): Tool {
  return defineTool({
    ...spec,
    input: { ...input, cli },
    operations: ['POST /jobs'],
    fixed: { ...(action !== undefined && { action }), ...(replace && { replace }) },
    names: { lab: 'instance' },
    tell: tellJob,
  });
}

export const waitReadySeconds = z
  .number()
  .positive()
  .max(3600)
  .optional()
  .describe('The job ends when all nodes are ready, and fails after so many seconds.');

/** An input that another tool explains. */
const text = z.string().optional();
const multilabId = z.union([z.int().min(1).max(200), z.literal('auto')]).optional();

const topologyInputs = {
  topology: z.string().optional().describe('The topology, as YAML text.'),
  topologyPath: z.string().optional().describe('From list_templates, in place of topology.'),
  topologyUrl: z.string().optional().describe('An http or https URL of a topology, in place of topology.'),
  source: z
    .strictObject({ git: z.string(), ref: z.string().optional(), path: z.string().optional() })
    .optional()
    .describe(
      'Files from Git for the workspace: "git" is an https URL, "ref" a branch, tag, commit or pull/12, "path" a directory.',
    ),
  workdir: z.string().optional().describe('A directory on the server that exists: the lab lives there.'),
  workspace: z
    .string()
    .optional()
    .describe('The name of a workspace, in place of workdir: it is made when it does not exist.'),
  provider: z.string().optional().describe('The provider of the nodes, such as clab or libvirt.'),
  device: z.string().optional().describe('The device type of nodes that name none, such as frr.'),
  labels: z.record(z.string(), z.string()).optional().describe('Short texts to find the job by.'),
  host,
};

/** The same without descriptions, for a tool that refers to another one. */
const sameInputs = Object.fromEntries(
  Object.entries(topologyInputs).map(([name, input]) => [name, input.unwrap().optional()]),
);

export const startTools = [
  jobTool({
    name: 'start_lab',
    title: 'Start a lab',
    description:
      'Starts a virtual network lab and returns the id of a job at once; starting takes seconds to many minutes. Give the topology as text, the path of a file on the server, or a Git repository. Use multilabId "auto" so that the lab can run beside others; the reply has its id as "lab". Give ttlSeconds unless the user wants the lab to stay: the lab is stopped after that time.',
    input: {
      ...topologyInputs,
      multilabId,
      ttlSeconds,
      waitReadySeconds,
    },
    effect: 'changes',
    action: 'up',
  }),
  defineTool({
    name: 'check_topology',
    title: 'Check a topology',
    description: 'The mistakes that the lab CLI finds in a topology.',
    input: {
      topology: z.string().describe('The topology, as YAML text.'),
      path: filePath.optional(),
      workspace: z.string().optional(),
      cli,
    },
    effect: 'looks',
    operations: ['POST /topologies/check'],
  }),
  jobTool({
    name: 'create_lab',
    title: 'Make the files of a lab',
    description: 'Makes the files of a lab and starts nothing. The inputs are those of start_lab.',
    input: {
      ...sameInputs,
      output: z.array(z.string()).optional().describe('Which files, such as "yaml:nodes=nodes.yml".'),
    },
    effect: 'changes',
    action: 'create',
  }),
  jobTool({
    name: 'stop_lab',
    title: 'Stop a lab',
    description:
      'Stops a lab and returns the id of a job at once. Data in its nodes that was not collected is lost. Stop only labs that you have started, or that the user has named.',
    input: {
      lab,
      cleanup: z
        .boolean()
        .optional()
        .describe('Whether to remove the files that were created for the lab, too.'),
    },
    effect: 'destroys',
    action: 'down',
  }),
  jobTool({
    name: 'restart_lab',
    title: 'Restart a lab',
    description: 'Stops a lab and starts it again; what was changed in its nodes is lost.',
    input: { lab, waitReadySeconds },
    effect: 'destroys',
    action: 'restart',
  }),
  jobTool({
    name: 'replace_lab',
    title: 'Restart a lab with changes',
    description:
      'Stops the lab in a workspace or workdir and starts a topology in its place, as start_lab does, or does neither.',
    input: {
      topology: text,
      topologyPath: text,
      workspace: text,
      workdir: text,
      multilabId,
    },
    effect: 'destroys',
    action: 'up',
    replace: true,
  }),
  jobTool({
    name: 'switch_nodes',
    title: 'Start, stop or restart nodes',
    description: 'Starts, stops or restarts nodes of a lab, where its lab CLI can do that.',
    input: {
      lab,
      action: z.enum(['start-nodes', 'stop-nodes', 'restart-nodes']),
      nodes: z.array(z.string()).min(1).describe('Names of nodes; "*" alone is all of them.'),
    },
    effect: 'destroys',
  }),
  jobTool({
    name: 'configure_lab',
    title: 'Configure nodes',
    description:
      'Configures nodes of a lab again as the topology says ("initial"), or with a template ("config").',
    input: {
      lab,
      action: z.enum(['initial', 'config']),
      template: z.string().optional().describe('With "config": the path of a file or directory, or a name.'),
      limit: z.string().optional().describe('On which nodes: names, groups and patterns, with commas.'),
    },
    effect: 'destroys',
  }),
  jobTool({
    name: 'collect_configurations',
    title: 'Collect configurations',
    description:
      'Writes the configurations of all nodes of a lab into files; when the job has ended, list_artifacts has them.',
    input: { lab },
    effect: 'changes',
    action: 'collect',
  }),
  jobTool({
    name: 'validate_lab',
    title: 'Run the tests of a lab',
    description:
      'Runs the tests that the topology of a lab defines and returns the id of a job at once. When the job has ended, wait_for_job has the outcome of each test.',
    input: {
      lab,
      tests: z.array(z.string()).optional().describe('Names of tests; default: all.'),
      nodes: z.array(z.string()).optional().describe('Only on these nodes.'),
    },
    effect: 'changes',
    action: 'validate',
  }),
];
