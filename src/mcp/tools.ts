/** Every tool. */
import { faultTools } from './fault-tools.ts';
import { jobTools } from './job-tools.ts';
import { labTools } from './lab-tools.ts';
import { nodeTools } from './node-tools.ts';
import { serverTools } from './server-tools.ts';
import { snapshotTools } from './snapshot-tools.ts';
import { startTools } from './start-tools.ts';
import type { Tool } from './tool.ts';
import { workspaceTools } from './workspace-tools.ts';

/** By the rows of the table in docs/labs.md. */
export const toolsByTopic: Readonly<Record<string, readonly Tool[]>> = {
  Labs: labTools,
  'Starting and changing labs': startTools,
  Jobs: jobTools,
  Nodes: nodeTools,
  'Faults and scenarios': faultTools,
  Workspaces: workspaceTools,
  Snapshots: snapshotTools,
  'The server': serverTools,
};

export const tools: readonly Tool[] = Object.values(toolsByTopic).flat();
