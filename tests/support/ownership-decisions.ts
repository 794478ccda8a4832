/** For each route of the API, whose things it is about. */

type Thing = 'job' | 'lab' | 'workspace' | 'snapshot';

export interface Decision {
  /** What it is about; `all` for what shows something of everything, and `nothing` for what is nobody's. */
  readonly about: Thing | 'all' | 'nothing';
  /** Only its owner may do it, even where operators share. */
  readonly isGift?: true;
  /** That it does what it may is not tried here: `upgrade-required` comes before its handler. */
  readonly isNotTried?: true;
  /** That a name is taken cannot be kept from anybody. */
  readonly takesName?: true;
  readonly query?: string;
  readonly body?: unknown;
}

const job: Decision = { about: 'job' };
const lab: Decision = { about: 'lab' };
const workspace: Decision = { about: 'workspace' };
const snapshot: Decision = { about: 'snapshot' };
const all: Decision = { about: 'all', isNotTried: true };
export const nothing: Decision = { about: 'nothing' };

/** The requests change nothing that the next one needs: what they ask for is refused for another reason, or was so before. */
export const decisions: Readonly<Record<string, Decision>> = {
  getServiceInfo: nothing,
  getOpenApiJson: nothing,
  getOpenApiYaml: nothing,
  getReferencePage: nothing,
  getReferenceFile: { ...nothing, isNotTried: true },
  getLiveness: nothing,
  getReadiness: nothing,
  getMetrics: nothing,
  getSession: nothing,
  beginSession: nothing,
  endSession: nothing,
  beginProviderLogin: nothing,
  finishProviderLogin: nothing,
  endProviderSession: nothing,
  // Of each user their own, and users for administrators: tests/http/users.test.ts.
  changeOwnPassword: { ...nothing, isNotTried: true },
  listSessions: nothing,
  endOneSession: { ...nothing, isNotTried: true },
  listTokens: nothing,
  addToken: { ...nothing, isNotTried: true },
  removeToken: { ...nothing, isNotTried: true },
  listUsers: { ...nothing, isNotTried: true },
  addUser: { ...nothing, isNotTried: true },
  changeUser: { ...nothing, isNotTried: true },
  removeUser: { ...nothing, isNotTried: true },
  // In a cluster of their own: tests/integration/cluster.
  listHosts: { ...nothing, isNotTried: true },
  getHost: { ...nothing, isNotTried: true },
  drainHost: { ...nothing, isNotTried: true },
  forgetHost: { ...nothing, isNotTried: true },
  // For administrators: tests/http/images.test.ts.
  listImages: { ...nothing, isNotTried: true },
  putImage: { ...nothing, isNotTried: true },
  removeImage: { ...nothing, isNotTried: true },
  // Own quotas, or those of a user whom the asker leads: tests/http/quotas.test.ts.
  getQuotas: { ...nothing, isNotTried: true },
  // For administrators: tests/http/disk.test.ts.
  getDiskUse: { ...nothing, isNotTried: true },
  // For administrators: tests/http/reload.test.ts.
  reloadSettings: { ...nothing, isNotTried: true },
  // For administrators: tests/http/audit-reading.test.ts.
  listAudit: { ...nothing, isNotTried: true },
  exportAudit: { ...nothing, isNotTried: true },
  postMcp: { ...nothing, isNotTried: true },
  // Of a workspace that the body names: tests/http/topology-check.test.ts.
  checkTopology: { ...nothing, isNotTried: true },
  listTemplates: all,
  listJobs: all,
  submitJob: all,
  listWorkspaces: all,
  followEvents: all,
  getAllStatus: all,
  listLabs: all,
  searchLabs: all,
  listStoppedLabs: all,
  getJob: job,
  getJobTopology: job,
  removeJob: job,
  retryJob: job,
  cancelJob: { ...job, isNotTried: true },
  getJobLog: job,
  listArtifacts: job,
  getArtifact: job,
  getWorkspace: workspace,
  putWorkspace: { ...workspace, isNotTried: true, takesName: true },
  removeWorkspace: { ...workspace, isNotTried: true },
  replaceWorkspaceShares: { ...workspace, isGift: true, body: { shares: [] } },
  replaceWorkspaceOwner: { ...workspace, isGift: true, body: { owner: 'otto' } },
  listFiles: workspace,
  getFile: workspace,
  putFile: { ...workspace, body: 'text' },
  removeFile: workspace,
  getWorkspaceLayout: workspace,
  replaceWorkspaceLayout: { ...workspace, body: { nodes: {} } },
  getInstanceStatus: lab,
  getLab: lab,
  getLabTopology: lab,
  getLabTraffic: lab,
  getLabInventory: { ...lab, query: '?format=ssh-config' },
  getLabPicture: lab,
  getLabLayout: lab,
  replaceLabLayout: { ...lab, body: { nodes: {} } },
  listLabTests: lab,
  listLabReports: lab,
  getLabReport: lab,
  changeLab: { ...lab, body: { ttlSeconds: 3600 } },
  replaceLabShares: { ...lab, isGift: true, body: { shares: [] } },
  replaceLabOwner: { ...lab, isGift: true, body: { owner: 'otto' } },
  execInNode: { ...lab, body: { command: ['true'] } },
  execInNodes: { ...lab, body: { nodes: ['all'], command: ['true'] } },
  openNodeTerminal: { ...lab, isNotTried: true },
  openNodeSsh: { ...lab, isNotTried: true },
  getNodeLog: lab,
  getNodeConfiguration: lab,
  captureInNode: { ...lab, query: '?seconds=1' },
  getImpairment: lab,
  putImpairment: { ...lab, body: { delayMs: 1 } },
  removeImpairment: lab,
  keepLab: { ...lab, body: { name: 'stage' } },
  compareLab: lab,
  listSnapshots: all,
  getSnapshot: snapshot,
  downloadSnapshot: snapshot,
  compareSnapshots: { ...snapshot, query: '?with=kept' },
  restoreSnapshot: { ...snapshot, isNotTried: true, body: { workspace: 'restored' } },
  replaceSnapshotShares: { ...snapshot, isGift: true, body: { shares: [] } },
  removeSnapshot: { ...snapshot, isNotTried: true },
  listLinks: lab,
  putLinkFault: { ...lab, body: { kind: 'down' } },
  removeLinkFault: lab,
  putNodeFault: { ...lab, body: { kind: 'isolated' } },
  removeNodeFault: lab,
  removeLabFaults: lab,
};
