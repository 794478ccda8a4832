/** Every route of the API. */
import type { Route } from '../route.ts';
import { getArtifact, listArtifacts } from './artifacts.ts';
import { getDiskUse } from './disk.ts';
import { getQuotas } from './quotas.ts';
import { reloadSettings } from './reload.ts';
import { auditRoutes } from './audit.ts';
import { followEvents } from './events.ts';
import { getLiveness, getReadiness } from './health.ts';
import { drainHost, forgetHost, getHost, listHosts } from './hosts.ts';
import { listImages, putImage, removeImage } from './images.ts';
import { cancelJob, getJob, getJobTopology, removeJob, retryJob } from './job.ts';
import { getJobLog } from './job-log.ts';
import { listJobs, submitJob } from './jobs.ts';
import { getLabInventory } from './lab-inventory.ts';
import { getLabLayout, getLabPicture, putLabLayout } from './lab-picture.ts';
import { getLabTopology } from './lab-topology.ts';
import { getLabTraffic } from './lab-traffic.ts';
import { getLab, listLabs } from './labs.ts';
import {
  listLinks,
  putLinkFault,
  putNodeFault,
  removeLabFaults,
  removeLinkFault,
  removeNodeFault,
} from './lab-faults.ts';
import { getLabReport, listLabReports } from './lab-reports.ts';
import { getLabTests } from './lab-tests.ts';
import { changeLab } from './lab-lease.ts';
import { postMcp } from './mcp.ts';
import { getMetrics } from './metrics.ts';
import { captureInNode } from './node-capture.ts';
import { execInNode } from './node-exec.ts';
import { getImpairment, putImpairment, removeImpairment } from './node-impairment.ts';
import { execInNodes } from './nodes-exec.ts';
import { getNodeConfiguration } from './node-configuration.ts';
import { getNodeLog } from './node-log.ts';
import { openNodeSsh } from './node-ssh.ts';
import { openNodeTerminal } from './node-terminal.ts';
import {
  putLabOwner,
  putLabShares,
  putSnapshotShares,
  putWorkspaceOwner,
  putWorkspaceShares,
} from './owner.ts';
import { getOpenApiJson, getOpenApiYaml, getReferenceFile, getReferencePage } from './reference.ts';
import { beginProviderLogin, endProviderSession, finishProviderLogin } from './oidc.ts';
import { getServiceInfo } from './root.ts';
import { downloadSnapshot, getSnapshot, keepLab, listSnapshots, removeSnapshot } from './snapshots.ts';
import { restoreSnapshot } from './snapshot-restore.ts';
import { compareLab, compareSnapshots } from './differences.ts';
import { searchLabs } from './search.ts';
import { beginSession, changeOwnPassword, endSession, getSession } from './session.ts';
import { getAllStatus, getInstanceStatus } from './status.ts';
import { listStoppedLabs } from './stopped-labs.ts';
import { getTemplates } from './templates.ts';
import { endOneSession, listSessions } from './sessions.ts';
import { checkTopology } from './topologies.ts';
import { addToken, listTokens, removeToken } from './tokens.ts';
import { addUser, changeUser, listUsers, removeUser } from './users.ts';
import { getFile, listFiles, putFile, removeFile } from './workspace-files.ts';
import { getWorkspaceLayout, putWorkspaceLayout } from './workspace-layout.ts';
import { getWorkspace, listWorkspaces, putWorkspace, removeWorkspace } from './workspaces.ts';

const otherRoutes: readonly Route[] = [
  getServiceInfo,
  getOpenApiJson,
  getOpenApiYaml,
  getReferencePage,
  getReferenceFile,
  getSession,
  beginSession,
  endSession,
  beginProviderLogin,
  finishProviderLogin,
  endProviderSession,
  changeOwnPassword,
  listSessions,
  endOneSession,
  listTokens,
  addToken,
  removeToken,
  listUsers,
  addUser,
  changeUser,
  removeUser,
  getLiveness,
  getReadiness,
  getTemplates,
  checkTopology,
  listJobs,
  submitJob,
  getJob,
  getJobTopology,
  removeJob,
  retryJob,
  cancelJob,
  getJobLog,
  listArtifacts,
  getArtifact,
  listWorkspaces,
  getWorkspace,
  putWorkspace,
  removeWorkspace,
  putWorkspaceOwner,
  putWorkspaceShares,
  getWorkspaceLayout,
  putWorkspaceLayout,
  listFiles,
  getFile,
  putFile,
  removeFile,
  followEvents,
  getAllStatus,
  getInstanceStatus,
  execInNode,
  execInNodes,
  listLabs,
  searchLabs,
  listStoppedLabs,
  getLab,
  getLabTopology,
  getLabTraffic,
  getLabInventory,
  getLabPicture,
  getLabLayout,
  putLabLayout,
  openNodeTerminal,
  openNodeSsh,
  getNodeLog,
  getNodeConfiguration,
  captureInNode,
  getImpairment,
  putImpairment,
  removeImpairment,
  getLabTests,
  listLabReports,
  getLabReport,
  keepLab,
  listSnapshots,
  getSnapshot,
  downloadSnapshot,
  removeSnapshot,
  putSnapshotShares,
  restoreSnapshot,
  compareSnapshots,
  compareLab,
  listLinks,
  putLinkFault,
  removeLinkFault,
  putNodeFault,
  removeNodeFault,
  removeLabFaults,
  changeLab,
  putLabOwner,
  putLabShares,
  listHosts,
  getHost,
  drainHost,
  forgetHost,
  listImages,
  putImage,
  removeImage,
  getQuotas,
  getDiskUse,
  reloadSettings,
  getMetrics,
  postMcp,
];

export const routes: readonly Route[] = [...otherRoutes, ...auditRoutes(otherRoutes)];
