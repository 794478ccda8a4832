/**
 * Checks replies before they are used: another service may listen at that address, and a hostile one may send anything, without
 * end.
 */
import { isMapping } from '../lib/mapping.ts';
import type {
  Artifact,
  AuditPage,
  DiskUse,
  Host,
  Job,
  JobPage,
  Lab,
  LabTraffic,
  ListedReport,
  Differences,
  RestoreResult,
  Share,
  Snapshot,
  ListedTest,
  Quotas,
  Problem,
  SearchResult,
  SettingsChange,
  StoppedLab,
  TestResult,
  TopologyCheck,
  Workspace,
  WorkspaceFile,
} from './api-types.ts';
import { ServiceError, UnexpectedReply, type FieldError } from './service-error.ts';

/** A page of jobs is a few MiB at most, the document of a lab with a thousand nodes less. */
const longestDocument = 32 * 1024 * 1024;

/** A JSON object. A type of our own: the client is published with its types, and without those of src/lib. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The text of a reply. @throws UnexpectedReply when it is too long, and what reading throws when it breaks off. */
export async function boundedText(response: Response, maxBytes = longestDocument): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  // Not `for await`: browsers have learned that late.
  const reader = (response.body as ReadableStream<Uint8Array> | null)?.getReader();
  for (;;) {
    const part = await reader?.read();
    if (!part || part.done) return text + decoder.decode();
    bytes += part.value.length;
    if (bytes > maxBytes) {
      await reader?.cancel();
      throw new UnexpectedReply(`the reply is longer than ${maxBytes} bytes`);
    }
    text += decoder.decode(part.value, { stream: true });
  }
}

/** Says nothing of the text itself: it may hold what a terminal obeys. */
export function parsedObject(text: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new UnexpectedReply('the reply is not JSON');
  }
  if (isMapping(value)) return value;
  throw new UnexpectedReply('the reply is not a JSON object');
}

const isText = (value: unknown): value is string => typeof value === 'string';
const isTextOrNull = (value: unknown): boolean => value === null || isText(value);

/** The fields without which nothing can be said of a job. */
const jobFields: Readonly<Record<string, (value: unknown) => boolean>> = {
  id: isText,
  action: isText,
  state: isText,
  createdAt: isText,
  workdir: isText,
  error: isTextOrNull,
  warnings: (value) => Array.isArray(value) && value.every(isText),
};

/** A newer service may have more fields, and more states. */
export function asJob(value: unknown): Job {
  if (isMapping(value) && Object.entries(jobFields).every(([name, isSound]) => isSound(value[name])))
    return value as unknown as Job;
  throw new UnexpectedReply('the reply is not a job');
}

function hasTexts(value: unknown, ...names: readonly string[]): value is JsonObject {
  return isMapping(value) && names.every((name) => isText(value[name]));
}

export function asWorkspace(value: unknown): Workspace {
  const isSound = hasTexts(value, 'name', 'workdir', 'createdAt', 'modifiedAt');
  if (isSound && typeof value['size'] === 'number') return value as unknown as Workspace;
  throw new UnexpectedReply('the reply is not a workspace');
}

export function asHost(reply: JsonObject): Host {
  if (hasTexts(reply, 'id', 'name', 'state') && Array.isArray(reply['labels']))
    return reply as unknown as Host;
  throw new UnexpectedReply('the reply is not a host');
}

export function asHosts({ hosts }: JsonObject): readonly Host[] {
  if (Array.isArray(hosts)) return hosts.map(asHost);
  throw new UnexpectedReply('the reply is not a list of hosts');
}

export function asLabs({ labs }: JsonObject): readonly Lab[] {
  const isLab = (lab: unknown): boolean => hasTexts(lab, 'id', 'state') && Array.isArray(lab['nodes']);
  if (Array.isArray(labs) && labs.every(isLab)) return labs as readonly Lab[];
  throw new UnexpectedReply('the reply is not a list of labs');
}

export function asWorkspaces({ workspaces }: JsonObject): readonly Workspace[] {
  if (Array.isArray(workspaces)) return workspaces.map(asWorkspace);
  throw new UnexpectedReply('the reply is not a list of workspaces');
}

export function asWorkspaceFiles({ files }: JsonObject): readonly WorkspaceFile[] {
  const isSound = Array.isArray(files) && files.every((file) => hasTexts(file, 'path', 'kind'));
  if (isSound) return files as unknown as readonly WorkspaceFile[];
  throw new UnexpectedReply('the reply is not a list of files');
}

export function asArtifacts({ artifacts }: JsonObject): readonly Artifact[] {
  const isSound = Array.isArray(artifacts) && artifacts.every((artifact) => hasTexts(artifact, 'path'));
  if (isSound) return artifacts as unknown as readonly Artifact[];
  throw new UnexpectedReply('the reply is not a list of artifacts');
}

export function asJobPage({ jobs, nextCursor }: JsonObject): JobPage {
  if (Array.isArray(jobs) && (nextCursor === null || isText(nextCursor)))
    return { jobs: jobs.map(asJob), nextCursor };
  throw new UnexpectedReply('the reply is not a page of jobs');
}

export function asReports({ reports }: JsonObject): readonly ListedReport[] {
  const isSound = Array.isArray(reports) && reports.every((report) => hasTexts(report, 'name', 'format'));
  if (isSound) return reports as unknown as readonly ListedReport[];
  throw new UnexpectedReply('the reply is not a list of reports');
}

export function asShares({ shares }: JsonObject): readonly Share[] {
  const isSound = Array.isArray(shares) && shares.every((share) => hasTexts(share, 'kind', 'name', 'as'));
  if (isSound) return shares as unknown as readonly Share[];
  throw new UnexpectedReply('the reply has no list of shares');
}

export function asSnapshot(reply: JsonObject): Snapshot {
  const isSound = hasTexts(reply, 'name', 'lab', 'createdAt') && Array.isArray(reply['nodes']);
  if (isSound) return reply as unknown as Snapshot;
  throw new UnexpectedReply('the reply is not a snapshot');
}

export function asSnapshots({ snapshots }: JsonObject): readonly Snapshot[] {
  if (Array.isArray(snapshots) && snapshots.every(isMapping)) return snapshots.map(asSnapshot);
  throw new UnexpectedReply('the reply has no list of snapshots');
}

export function asRestored(reply: JsonObject): RestoreResult {
  const { labs, warnings } = reply;
  const isLab = (lab: unknown): boolean =>
    hasTexts(lab, 'workspace') &&
    Array.isArray(lab['jobs']) &&
    lab['jobs'].every((job) => hasTexts(job, 'id'));
  if (Array.isArray(labs) && labs.every(isLab) && Array.isArray(warnings))
    return reply as unknown as RestoreResult;
  throw new UnexpectedReply('the reply has no list of restored labs');
}

export function asDifferences(reply: JsonObject): Differences {
  const { nodes, before, after } = reply;
  const isSound = Array.isArray(nodes) && nodes.every((node) => hasTexts(node, 'node', 'change'));
  if (isSound && isMapping(before) && isMapping(after)) return reply as unknown as Differences;
  throw new UnexpectedReply('the reply is not a comparison');
}

export function asSearchResult(reply: JsonObject): SearchResult {
  const { matches, incomplete } = reply;
  const isMatch = (match: unknown): boolean =>
    hasTexts(match, 'lab', 'match', 'thing', 'value') && Array.isArray(match['endpoints']);
  const isSound = Array.isArray(matches) && matches.every(isMatch) && Array.isArray(incomplete);
  if (isSound && incomplete.every((lab) => hasTexts(lab, 'lab', 'reason')))
    return reply as unknown as SearchResult;
  throw new UnexpectedReply('the reply is not the result of a search');
}

const isTest = (value: unknown): boolean => isMapping(value) && isText(value['name']);

export function asTests({ tests }: JsonObject): ListedTest[] {
  if (Array.isArray(tests) && tests.every(isTest)) return tests as ListedTest[];
  throw new UnexpectedReply('the reply is not a list of tests');
}

const isNodeTraffic = (value: unknown): boolean =>
  isMapping(value) &&
  typeof value['readAtMs'] === 'number' &&
  Array.isArray(value['interfaces']) &&
  value['interfaces'].every((one) => isMapping(one) && isText(one['link']));

export function asTraffic({ nodes, unread }: JsonObject): LabTraffic {
  if (Array.isArray(nodes) && nodes.every(isNodeTraffic) && Array.isArray(unread) && unread.every(isMapping))
    return { nodes, unread } as unknown as LabTraffic;
  throw new UnexpectedReply('the reply is not the traffic of a lab');
}

const isStoppedLab = (value: unknown): boolean =>
  isMapping(value) && isText(value['workdir']) && isText(value['startJob']);

export function asStoppedLabs({ stoppedLabs }: JsonObject): StoppedLab[] {
  if (Array.isArray(stoppedLabs) && stoppedLabs.every(isStoppedLab)) return stoppedLabs as StoppedLab[];
  throw new UnexpectedReply('the reply is not a list of stopped labs');
}

/** Whether it is a list of objects whose `named` fields are numbers, or null. */
function hasSizes(list: unknown, ...named: readonly string[]): boolean {
  const isSize = (size: unknown): boolean => size === null || typeof size === 'number';
  const isSound = (one: unknown): boolean => isMapping(one) && named.every((name) => isSize(one[name]));
  return Array.isArray(list) && list.every(isSound);
}

export function asAuditPage(reply: JsonObject): AuditPage {
  const { entries, nextCursor } = reply;
  const isSound =
    Array.isArray(entries) && entries.every(isMapping) && (nextCursor === null || isText(nextCursor));
  if (isSound) return reply as unknown as AuditPage;
  throw new UnexpectedReply('the reply is not a page of the audit');
}

export function asSettingsChange(reply: JsonObject): SettingsChange {
  const { changed, needsRestart, warnings } = reply;
  const areTexts = [needsRestart, warnings].every((list) => Array.isArray(list) && list.every(isText));
  if (areTexts && Array.isArray(changed) && changed.every(isMapping))
    return reply as unknown as SettingsChange;
  throw new UnexpectedReply('the reply is not the effect of a reload');
}

export function asDiskUse(reply: JsonObject): DiskUse {
  const isSound =
    hasSizes(reply['fileSystems'], 'free', 'total') &&
    hasSizes(reply['users'], 'jobs', 'workspaces') &&
    ['kinds', 'largestWorkspaces', 'largestJobs'].every((name) => hasSizes(reply[name], 'size'));
  if (isSound) return reply as unknown as DiskUse;
  throw new UnexpectedReply('the reply is not the use of a disk');
}

export function asTopologyCheck(reply: JsonObject): TopologyCheck {
  const areMappings = hasSizes(reply['problems']);
  if (typeof reply['valid'] === 'boolean' && areMappings) return reply as unknown as TopologyCheck;
  throw new UnexpectedReply('the reply is not the result of a check');
}

export function asQuotas(reply: JsonObject): Quotas {
  if (hasSizes(reply['quotas'], 'used', 'limit')) return reply as unknown as Quotas;
  throw new UnexpectedReply('the reply is not a list of quotas');
}

/** The tests of a job that can be shown; none of a job that has no such result. */
export function testsOf({ result }: Job): readonly TestResult[] {
  const tests: unknown = result?.kind === 'tests' ? result.tests : [];
  const isSound = (test: unknown): boolean =>
    isMapping(test) &&
    isText(test['name']) &&
    Array.isArray(test['nodes']) &&
    Array.isArray(test['messages']);
  return Array.isArray(tests) ? (tests.filter(isSound) as TestResult[]) : [];
}

/** Longer than any problem document of lab-api. */
const longestProblem = 1024 * 1024;

function isFieldError(value: unknown): value is FieldError {
  return isMapping(value) && isText(value['field']) && isText(value['message']);
}

/** The valid fields of a problem document. */
function asProblem({ detail, code, errors, requestId }: JsonObject): Partial<Problem> {
  return {
    ...(isText(detail) && { detail }),
    ...(isText(code) && { code: code as Problem['code'] }),
    ...(isText(requestId) && { requestId }),
    ...(Array.isArray(errors) && { errors: errors.filter(isFieldError) }),
  };
}

async function problemOf(response: Response): Promise<Partial<Problem>> {
  return asProblem(parsedObject(await boundedText(response, longestProblem)));
}

/** The error that a reply stands for. Whatever its body is, it is not trusted to be JSON. */
export async function serviceErrorOf(response: Response): Promise<ServiceError> {
  const isJson = /\bjson\b/.test(response.headers.get('Content-Type') ?? '');
  const problem = isJson ? await problemOf(response).catch(() => ({})) : {};
  if (!isJson) await response.body?.cancel().catch(() => undefined);
  return new ServiceError(response.status, response.headers, problem);
}
