/** The exports of `lab-api/client`: the typed client and all types of its methods. */
export type * from './api-types.ts';
export type { ConnectionOptions, Credentials, RequestOptions } from './connection.ts';
export type { ExecInNodesOptions } from './exec-in-nodes.ts';
export type { FeedNews, FollowOptions, LogNews } from './follow.ts';
export type { CaptureFilter, ExecNews, NodeClient } from './node-client.ts';
export type { AuditQuery, JobFilter, JobListFilter } from './filters.ts';
export { hasEnded, LabApiClient, type FeedType, type InventoryFormat } from './lab-api-client.ts';
export { ratesBetween, type EndRate, type Flow, type LinkRates } from './link-rates.ts';
export {
  ConnectionError,
  ServiceError,
  UnexpectedReply,
  type FieldError,
  type LossReason,
} from './service-error.ts';
export type { FaultsClient } from './faults-client.ts';
export type { HostsClient } from './hosts-client.ts';
export type { SnapshotsClient } from './snapshots-client.ts';
export type { Terminal, TerminalEnd, TerminalSize } from './terminal.ts';
export type { ArchiveFormat, UploadBody, WorkspacesClient } from './workspaces-client.ts';
