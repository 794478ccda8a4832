/** Jobs and labs as people like to read them. */
import { stripVTControlCharacters, styleText } from 'node:util';
import type { Job, JobState, Lab, StoppedLab, TestResult, Workspace } from '../../client/api-types.ts';
import { harmful } from '../../lib/text/harmless-text.ts';
import { formatSize } from '../../lib/text/size.ts';

const colors = {
  queued: 'cyan',
  running: 'blue',
  canceling: 'yellow',
  success: 'green',
  failed: 'red',
  canceled: 'gray',
} as const satisfies Record<JobState, string>;

const hasColors = (): boolean => process.stdout.isTTY && !process.env['NO_COLOR'];

const harmfulOnes = new RegExp(`(?:${harmful.source})+`, 'g');

/** Text of others on a terminal: it holds nothing that a terminal would obey, and stays on its line. */
export function harmless(text: unknown): string {
  return stripVTControlCharacters(String(text)).replace(harmfulOnes, ' ');
}

export function paintedState(state: JobState): string {
  // A newer service may have another one.
  const color = Object.hasOwn(colors, state) ? colors[state] : 'reset';
  return hasColors() ? styleText(color, harmless(state)) : harmless(state);
}

/** `4h 5m`, `5m 7s` or `7s`. */
export function spokenDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60)];
  if (hours > 0) return `${hours}h ${minutes}m`;
  return minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`;
}

function runTime({ startedAt, finishedAt }: Job, nowMs: number): string {
  if (startedAt === null) return '';
  return spokenDuration((finishedAt === null ? nowMs : Date.parse(finishedAt)) - Date.parse(startedAt));
}

function whatIsNew({ error, progress, queuePosition, waitsFor }: Job): string {
  if (error !== null) return error;
  if (queuePosition === null) return progress?.message ?? '';
  return waitsFor?.job ? `waits for ${waitsFor.job}` : `number ${queuePosition} in the queue`;
}

const frame = ['top', 'bottom', 'left', 'mid', 'right'].flatMap((side) =>
  ['', '-mid', '-left', '-right'].map((part): [string, string] => [side + part, '']),
);

/** Columns without frames, as `ps` and `docker` show theirs. */
export async function asColumns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
): Promise<string> {
  // Every command loads this file, and few show a table.
  const { default: Table } = await import('cli-table3');
  const table = new Table({
    head: [...head],
    chars: { ...(Object.fromEntries(frame) as Record<string, string>), middle: '  ' },
    style: { head: hasColors() ? ['bold'] : [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  table.push(...rows.map((row) => [...row]));
  return `${table.toString().replace(/ +$/gm, '')}\n`;
}

/** One line a job, the newest first; with its host in a cluster, and with its user where users log in. */
export async function jobsTable(jobs: readonly Job[], nowMs: number): Promise<string> {
  const isCluster = jobs.some(({ host }) => host !== null);
  const hasUsers = jobs.some(({ requestedBy }) => requestedBy !== null);
  const rows = jobs.map((job) => [
    harmless(job.id),
    ...(isCluster ? [harmless(job.host ?? '')] : []),
    harmless(job.action),
    paintedState(job.state),
    ...(hasUsers ? [harmless(job.requestedBy ?? '')] : []),
    `${spokenDuration(nowMs - Date.parse(job.createdAt))} ago`,
    runTime(job, nowMs),
    harmless(job.instance ?? job.workdir),
    harmless(whatIsNew(job)),
  ]);
  const host = isCluster ? ['HOST'] : [];
  const user = hasUsers ? ['USER'] : [];
  return asColumns(['ID', ...host, 'ACTION', 'STATE', ...user, 'CREATED', 'TIME', 'LAB', 'WHAT'], rows);
}

/** Until its lease ends. */
function timeLeft({ expiresAt }: Lab, nowMs: number): string {
  return expiresAt === null ? '' : `in ${spokenDuration(Date.parse(expiresAt) - nowMs)}`;
}

/** One line a lab; with its host, its lab CLI and its runtime where labs differ in that. */
export async function labsTable(labs: readonly Lab[], nowMs: number): Promise<string> {
  const isCluster = labs.some(({ host }) => host !== null);
  const isOfSeveral = new Set(labs.map(({ cli }) => cli)).size > 1;
  const hasRuntimes = labs.some(({ runtime }) => runtime === 'namespaces');
  const only = <T>(isThere: boolean, value: T): T[] => (isThere ? [value] : []);
  const rows = labs.map((lab) => {
    const { id, name, host, cli, runtime, state, ready, nodes, workspace, workdir, owner } = lab;
    return [
      id,
      name ?? '',
      ...only(isCluster, host ?? ''),
      ...only(isOfSeveral, cli),
      ...only(hasRuntimes, runtime ?? ''),
      state,
      ready === false ? `${nodes.length}, ${nodes.filter((node) => node.ready).length} ready` : nodes.length,
      owner ?? '',
      timeLeft(lab, nowMs),
      workspace ?? workdir ?? '',
    ].map(harmless);
  });
  const head = [
    'LAB',
    'NAME',
    ...only(isCluster, 'HOST'),
    ...only(isOfSeveral, 'CLI'),
    ...only(hasRuntimes, 'RUNTIME'),
    'STATE',
    'NODES',
    'OWNER',
    'ENDS',
    'WHERE',
  ];
  return asColumns(head, rows);
}

/** One line a stopped lab, with the job to retry that starts it again. */
export async function stoppedTable(labs: readonly StoppedLab[], nowMs: number): Promise<string> {
  const rows = labs.map(({ instance, owner, workspace, workdir, startJob, stoppedAt, mayStart }) => [
    harmless(instance ?? ''),
    harmless(owner ?? ''),
    stoppedAt === null ? '' : `${spokenDuration(nowMs - Date.parse(stoppedAt))} ago`,
    harmless(workspace ?? workdir),
    mayStart ? harmless(`lab retry ${startJob}`) : '',
  ]);
  return asColumns(['LAB', 'OWNER', 'STOPPED', 'WHERE', 'START AGAIN'], rows);
}

/** One line a workspace, with the lab that runs from it. */
export async function workspacesTable(workspaces: readonly Workspace[], nowMs: number): Promise<string> {
  const rows = workspaces.map(({ name, owner, size, modifiedAt, lab }) => [
    harmless(name),
    harmless(owner ?? ''),
    harmless(formatSize(size)),
    `${spokenDuration(nowMs - Date.parse(modifiedAt))} ago`,
    harmless(lab ?? ''),
  ]);
  return asColumns(['WORKSPACE', 'OWNER', 'SIZE', 'CHANGED', 'LAB'], rows);
}

const outcomeColors = { passed: 'green', failed: 'red', warning: 'yellow', skipped: 'gray' } as const;

function paintedOutcome(outcome: TestResult['outcome']): string {
  const text = harmless(outcome ?? 'no verdict');
  // A newer service may have another one.
  const isKnown = outcome !== null && Object.hasOwn(outcomeColors, outcome);
  return hasColors() && isKnown ? styleText(outcomeColors[outcome], text) : text;
}

/** One line a test: what came of it, and why; of a test that passed, the first thing that was said. */
export async function testsTable(tests: readonly TestResult[]): Promise<string> {
  const rows = tests.map(({ name, outcome, nodes, seconds, reason, messages }) => [
    harmless(name),
    paintedOutcome(outcome),
    harmless(nodes),
    seconds === null ? '' : `${harmless(seconds)}s`,
    harmless(reason ?? messages[0] ?? ''),
  ]);
  return asColumns(['TEST', 'OUTCOME', 'NODES', 'TIME', 'WHAT'], rows);
}

function isEmpty(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0;
  return value === null || value === '';
}

function shown(value: unknown): string {
  return harmless(typeof value === 'string' ? value : JSON.stringify(value));
}

/** All that is known of one job. */
export function jobDetails(job: Job): string {
  const told = Object.entries<unknown>({ ...job })
    .filter(([, value]) => !isEmpty(value))
    .map(([name, value]) => [harmless(name), value] as const);
  const width = Math.max(...told.map(([name]) => name.length));
  return told
    .map(
      ([name, value]) =>
        `${name.padEnd(width)}  ${name === 'state' ? paintedState(job.state) : shown(value)}\n`,
    )
    .join('');
}
