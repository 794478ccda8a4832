/** Reads the output of `netlab status` 26.10 (netsim/cli/status.py). */
import { isMapping, textOf, type Mapping } from '../../../lib/mapping.ts';
import { parseReport } from '../../system/foreign-file.ts';
import type { RunResult } from '../../system/run.ts';
import { ranToItsEnd, statusFailure, unknownInstance } from '../status-failure.ts';
import { upSince } from '../docker-status.ts';
import type {
  LabEntries,
  LabEntry,
  LabState,
  LabSummary,
  NodeState,
  NodeStatus,
  StatusDriver,
  StatusSource,
} from '../status-driver.ts';

type ParsedStatus =
  | { readonly kind: 'document'; readonly value: Mapping }
  | { readonly kind: 'warning' }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'unusable' };

function parseObject(output: Buffer): Mapping | undefined {
  try {
    const value = parseReport(output);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads the output of `--format json`. "No labs" is a warning with exit code 1 and a fault may come with exit code 0, so
 * the document decides first. An instance may be called `warning` or `error`; its value is an object, then.
 */
function parseStatus(result: RunResult): ParsedStatus {
  if (!ranToItsEnd(result)) return { kind: 'unusable' };
  const value = parseObject(result.stdout);
  if (value === undefined) return { kind: 'unusable' };
  if (typeof value['warning'] === 'string') return { kind: 'warning' };
  if (typeof value['error'] === 'string') return { kind: 'error', message: value['error'] };
  return result.exitCode === 0 ? { kind: 'document', value } : { kind: 'unusable' };
}

/** The instances of a `status --all` document. A Map, because an instance may be called `constructor`. */
function entriesOf(document: Mapping): LabEntries {
  return new Map(Object.entries(document).filter((pair): pair is [string, LabEntry] => isMapping(pair[1])));
}

/** A machine has 199 multilab ids. Many requests resolve the directory of each lab. */
const labsMax = 1_000;

/** netlab rewrites its state file in place (netsim/utils/status.py): a reader may meet half of it. */
const tornStateFile = 'Cannot read lab status file';

async function runAgainWhenTorn(run: StatusSource['run'], ...args: readonly string[]): Promise<RunResult> {
  const result = await run(args);
  const isTorn = result.stderr.includes(tornStateFile) || result.stdout.includes(tornStateFile);
  return isTorn ? run(args) : result;
}

const noEntries: LabEntries = new Map();

async function allJson(run: StatusSource['run']): Promise<{ body: Buffer; entries: LabEntries }> {
  const result = await runAgainWhenTorn(run, 'status', '--all', '--format', 'json');
  const status = parseStatus(result);
  if (status.kind === 'error' || status.kind === 'unusable') throw statusFailure(result);
  const entries = status.kind === 'warning' ? noEntries : entriesOf(status.value);
  if (entries.size > labsMax) throw statusFailure(result);
  return { body: result.stdout, entries };
}

async function allText({ run, entries }: StatusSource): Promise<Buffer> {
  const result = await runAgainWhenTorn(run, 'status', '--all');
  if (result.exitCode === 0 && ranToItsEnd(result)) return result.stdout;
  if (!ranToItsEnd(result)) throw statusFailure(result);
  // "No netlab-managed labs" exits with 1, like a failure does. The JSON form tells the two apart.
  if ((await entries(false)).size > 0) throw statusFailure(result);
  return result.stdout;
}

/** The lab may have gone while we asked: that is "not found", not a failure of the CLI. */
async function throwFailure(id: string, result: RunResult, entries: StatusSource['entries']): Promise<never> {
  const known = await entries(ranToItsEnd(result)).catch(() => undefined);
  if (known === undefined || !ranToItsEnd(result)) throw statusFailure(result, known?.get(id));
  const lab = known.get(id);
  throw lab === undefined ? unknownInstance(id) : statusFailure(result, lab);
}

async function instanceJson(id: string, { run, entries }: StatusSource): Promise<Buffer> {
  const result = await runAgainWhenTorn(run, 'status', '--instance', id, '--format', 'json');
  const status = parseStatus(result);
  if (status.kind === 'document') return result.stdout;
  const isNotStarted = status.kind === 'error' && status.message.startsWith('Lab is not started');
  const entry = isNotStarted ? (await entries(false)).get(id) : undefined;
  return entry === undefined
    ? throwFailure(id, result, entries)
    : Buffer.from(`${JSON.stringify(entry, null, 2)}\n`);
}

async function instanceText(id: string, { run, entries }: StatusSource): Promise<Buffer> {
  const result = await runAgainWhenTorn(run, 'status', '--instance', id);
  // For a lab that is not up, the text form prints the lab's event log and exits with 0: a sensible answer.
  if (result.exitCode === 0 && ranToItsEnd(result)) return result.stdout;
  return throwFailure(id, result, entries);
}

function directoryOf(entry: LabEntry): string | undefined {
  const directory = entry['dir'];
  return typeof directory === 'string' && directory !== '' ? directory : undefined;
}

/**
 * The line of its log with which the lab was started: `2026-01-15T09:30:00.500000+00:00: starting lab` (netsim/cli/up.py,
 * lab_status_start); the log goes on when a lab is started anew without a `down`. The engine begins a new log each time.
 */
function startOf({ log }: LabEntry): ReturnType<StatusDriver['startOf']> {
  const lines = Array.isArray(log) ? log.filter((line) => typeof line === 'string') : [];
  const mark = lines.findLast((line) => /: (re)?starting lab$/.test(line)) ?? lines[0];
  if (mark === undefined) return undefined;
  const atMs = Date.parse(mark.split(': ')[0] ?? '');
  return { mark, atMs: Number.isNaN(atMs) ? null : atMs };
}

/** `before`: it says nothing of how far the lab is, which the words before it in the log do. */
type Meaning = Exclude<LabState, 'other'> | 'configuring' | 'configured' | 'before';

/**
 * Every status that netlab 26.10 gives a lab (`lab_status_change` and `lab_status_update` in netsim/cli: up.py, down.py,
 * initial/deploy.py, initial/ready.py), and the four words of the bundled engine. All other lines of the log are no status:
 * `OK: command`, `ERROR: command`, `netlab up command was interrupted`.
 */
const meanings: readonly (readonly [RegExp, Meaning])[] = [
  [/^started$/, 'started'],
  [/^missing$/, 'missing'],
  [/^starting$|^(re)?starting lab$|^starting provider \S+$|^\S+ workload started$/, 'starting'],
  [/^deploying initial configuration$|^initial configuration complete$/, 'starting'],
  [/^reloading saved initial configurations$|^saved initial configurations reloaded$/, 'starting'],
  [/^starting external tools$|^\d+\/\d+ external tools started$/, 'starting'],
  // Of `netlab initial`, which `up` runs as well.
  [/^normalizing device configurations$|^deploying configuration: |^devices are ready$/, 'configuring'],
  [/^configuration deployment complete$/, 'configured'],
  [/^stopping$|^lab shutdown requested|^stopping \S+ provider$/, 'stopping'],
  [/^stopping external tools$|^external tools stopped$/, 'stopping'],
  // Another directory wanted the same instance, and did not get it.
  [/^conflict -- /, 'before'],
];

function meaningOf(status: string): Meaning | undefined {
  return meanings.find(([pattern]) => pattern.test(status))?.[1];
}

interface LogLine {
  readonly atMs: number;
  readonly text: string;
}

/** The lines of its log since it was started last: `2026-11-21T03:33:00.105059+00:00: started`. */
function linesSinceStart({ log }: LabEntry): readonly LogLine[] {
  const lines = (Array.isArray(log) ? log : []).flatMap((line: unknown): LogLine[] => {
    const [, time = '', text = ''] = (typeof line === 'string' && /^(\S+): (.*)$/.exec(line)) || [];
    return text === '' ? [] : [{ atMs: Date.parse(time), text }];
  });
  const start = lines.findLastIndex(({ text }) => /^(re)?starting lab$/.test(text));
  return lines.slice(Math.max(0, start));
}

/**
 * The line that says that the lab was started. After an `up` that failed while it configured the devices, that is the end of a
 * later `initial`; the `initial` of an `up` that goes on is its first and only one.
 */
function startedLine(lines: readonly LogLine[]): LogLine | undefined {
  const started = lines.findLast(({ text }) => text === 'started');
  if (started !== undefined) return started;
  const ofUp = lines.findIndex(({ text }) => text === 'deploying initial configuration');
  const runs = lines.filter(
    ({ text }, index) => index > ofUp && text.startsWith('deploying configuration: '),
  );
  if (ofUp !== -1 && runs.length < 2) return undefined;
  return lines.findLast(({ text }) => meaningOf(text) === 'configured');
}

function stateOf(entry: LabEntry): LabState {
  const { status } = entry;
  if (typeof status !== 'string') return 'other';
  const lines = linesSinceStart(entry);
  const words = lines.map(({ text }) => meaningOf(text)).filter((word) => word !== undefined);
  const told = meaningOf(status);
  const meaning = told === 'before' ? words.findLast((word) => word !== 'before') : told;
  if (meaning === undefined) return 'other';
  if (meaning !== 'configuring' && meaning !== 'configured') return meaning;
  const isStarted = startedLine(lines) !== undefined || (meaning === 'configured' && lines.length === 0);
  return isStarted ? 'started' : 'starting';
}

function startedAtMsOf(entry: LabEntry): number | null {
  const state = stateOf(entry);
  const line = state === 'started' || state === 'missing' ? startedLine(linesSinceStart(entry)) : undefined;
  return line === undefined || Number.isNaN(line.atMs) ? null : line.atMs;
}

/** netsim/cli/external_commands.py, interrupted: a job that was canceled or timed out. The status stays as it was. */
function problemOf(entry: LabEntry): string | undefined {
  const last = linesSinceStart(entry).at(-1)?.text ?? '';
  const state = stateOf(entry);
  if (!/^netlab \w+ command was interrupted$/.test(last)) return undefined;
  if (state === 'starting') return `${last}: the lab may be half started; run "down" with "cleanup"`;
  return state === 'stopping' ? `${last}: the lab may be half stopped; run "down" again` : undefined;
}

function summaryOf(entry: LabEntry): LabSummary {
  const providers: unknown = entry['providers'];
  const provider: unknown = Array.isArray(providers) ? providers[0] : undefined;
  return { name: textOf(entry['name']), provider: textOf(provider), startedAtMs: startedAtMsOf(entry) };
}

/**
 * The status in the provider (`Up 4 seconds` in Docker, `running` in libvirt). A node that the provider does not know has no
 * status, and one that netlab does not manage is `Unknown`.
 */
function nodeStateOf(status: unknown): NodeState {
  const words = status ?? 'gone';
  if (typeof words !== 'string' || words === 'Unknown') return 'unknown';
  return /^(up|running)\b/i.test(words) ? 'up' : 'down';
}

function nodesOf(document: LabEntry, printedAtMs: number): readonly NodeStatus[] {
  if (!isMapping(document['nodes'])) return [];
  const startedAtMs = startedAtMsOf(document);
  return Object.entries(document['nodes']).map(([name, node]) => {
    const facts: Mapping = isMapping(node) ? node : { status: 0 };
    const { device, provider, image, mgmt, status = 'gone' } = facts;
    // netsim/providers/clab/__init__.py, get_node_name: also of the tools of a lab, which are containers.
    const container = provider === 'clab' ? textOf(facts['provider_name']) : null;
    // The engine makes all nodes of a lab at once, and says no more than that they are there.
    const asLab = status === 'Up' && startedAtMs !== null ? { atMs: startedAtMs, withinMs: 0 } : null;
    return {
      name,
      device: textOf(device),
      provider: textOf(provider),
      image: textOf(image),
      address: textOf(mgmt),
      state: nodeStateOf(status),
      since: asLab ?? upSince(status, printedAtMs),
      container: container === null ? null : { name: container, partOf: null, there: undefined },
    };
  });
}

export const netlabStatus: StatusDriver = {
  allJson,
  allText,
  instanceJson,
  instanceText,
  directoryOf,
  startOf,
  stateOf,
  summaryOf,
  problemOf,
  nodesOf: (document, printedAtMs) => nodesOf(parseObject(document) ?? {}, printedAtMs),
  nodeEntriesOf: (document) => {
    const nodes = parseObject(document)?.['nodes'];
    return isMapping(nodes) ? nodes : undefined;
  },
  documentOf: (entries) =>
    entries.size === 0 ? { warning: 'there are no labs that you may see' } : Object.fromEntries(entries),
};
