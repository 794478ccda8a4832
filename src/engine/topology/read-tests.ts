/**
 * Reads `validate` of a topology, or a file of tests, in the format of netlab's `_v_entry`
 * (netsim/defaults/attributes.yml).
 */
import * as z from 'zod';
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import type { LabTest } from '../core/lab.ts';
import { parsePluginCall } from './plugin-call.ts';
import type { Origin } from './findings.ts';
import { isMapping, type Mapping, type Reading } from './source.ts';
import { identifierFormat, identifierHelp } from './identifier-format.ts';
import { checkValues } from './topology-schema.ts';

interface Context extends Reading {
  readonly nodeNames: ReadonlySet<string>;
  /** Named waiting times in seconds: `defaults.const.validate`. */
  readonly waits: Mapping;
}

const text = z.string({ error: 'must be text' });
/** One value for all devices, or one for each device. */
const perDevice = z.union([text, z.record(z.string(), text)], {
  error: 'must be text, or a map from devices to texts',
});

const waitHelp = 'must be a number of seconds from 0 to 86400, or a name for one';
// Each limit has this message too; otherwise zod uses its own message for a number out of range.
const secondsSchema = z.int({ error: waitHelp }).min(0, { error: waitHelp }).max(86_400, { error: waitHelp });

const entrySchema = z.object({
  description: text.optional(),
  pass: text.optional(),
  fail: text.optional(),
  wait: z.union([secondsSchema, text], { error: waitHelp }).optional(),
  wait_msg: text.optional(),
  devices: z.union([text, z.array(text)], { error: 'must be a list of devices' }).optional(),
  nodes: z.union([text, z.array(text)], { error: 'must be a list of nodes' }).optional(),
  plugin: text.optional(),
  exec: perDevice.optional(),
  valid: perDevice.optional(),
  stop_on_error: z.boolean({ error: 'must be true or false' }).optional(),
  level: z.literal('warning', { error: 'must be warning or absent' }).optional(),
});

type Entry = z.infer<typeof entrySchema>;

/** Test actions of netlab that this engine does not support; a test with one of them is skipped. */
const foreignActions = ['show', 'config', 'suzieq', 'ansible'];
/** Actions with output. */
const printing = ['exec', 'show', 'suzieq', 'ansible'];
const known = [...Object.keys(entrySchema.shape), ...foreignActions];

const ownDevices = ['linux', 'linux-router', 'none'];

/** The value for our devices; null when there is none. */
function forUs(value: Entry['exec']): string | null {
  if (value === undefined || typeof value === 'string') return value ?? null;
  return ownDevices.map((device) => value[device]).find((found) => found !== undefined) ?? null;
}

function waitOf(entry: Entry, waits: Mapping): number | null | undefined {
  const { wait } = entry;
  if (typeof wait !== 'string') return wait ?? null;
  const seconds = waits[wait];
  return typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 0 ? seconds : undefined;
}

/** An entry during reading: its values, and the test made from it. */
interface Draft {
  readonly where: string;
  readonly given: Mapping;
  readonly entry: Entry;
  /** The place of its name. */
  readonly at: Origin;
  readonly actions: readonly string[];
  readonly nodes: readonly string[];
}

/** Whether the parts of the entry fit together (netsim/augment/validate.py, `validate_test_entry`). */
function checkWhole(
  { where, given, entry, at, actions, nodes }: Draft,
  { source, findings, nodeNames }: Context,
): void {
  const isWaiting = entry.wait !== undefined;
  if (actions.length === 0 && !isWaiting) findings.error(at, `${where} must have plugin, exec or wait`);
  // `show` and `exec` do the same for two kinds of devices.
  const single = actions.filter((key) => key !== 'show' && key !== 'exec');
  if (actions.length > 1 && single.length > 0)
    findings.error(at, `${where} must have one action, not ${actions.join(', ')}`);
  // netlab refuses it as well: the same command has different meanings on different devices.
  if (typeof entry.exec === 'string' && entry.devices === undefined)
    findings.error(
      source.valueAt(given, 'exec'),
      `${where} must list the "devices" of its command, such as [linux]`,
    );
  const unknown = nodes.find((word) => !nodeNames.has(word));
  if (unknown !== undefined)
    findings.error(
      source.valueAt(given, 'nodes'),
      `${where}: there is no node ${unknown}${didYouMean(unknown, nodeNames)}`,
    );
  if (nodes.length === 0 && !isWaiting) findings.error(at, `${where} must list the nodes that run it`);
  if (entry.valid !== undefined && !actions.some((key) => printing.includes(key)))
    findings.error(
      source.keyAt(given, 'valid'),
      `${where} has "valid", but no command whose output it could check`,
    );
}

/** Warns about skipped tests when the topology is read, not only when the tests run. */
function warnAboutSkipped({ where, given, entry }: Draft, { source, findings }: Context): void {
  const { plugin } = entry;
  if (plugin !== undefined && parsePluginCall(plugin)?.name !== 'ping')
    findings.warn(
      source.valueAt(given, 'plugin'),
      `${where} is skipped: the bundled engine supports only the plugin ping()`,
    );
  const foreign = foreignActions.find((key) => given[key] !== undefined);
  if (foreign !== undefined)
    findings.warn(
      source.keyAt(given, foreign),
      `${where}: the bundled engine does not support tests with "${foreign}"`,
    );
}

/** Reports every error of an entry; the test is then undefined. */
function readTest(name: string, given: Mapping, map: Mapping, context: Context): LabTest | undefined {
  const { source, findings, waits } = context;
  const where = `validate.${name}`;
  const errors = findings.errorCount;
  for (const key of Object.keys(given).filter((word) => !known.includes(word)))
    findings.error(source.keyAt(given, key), `unknown attribute "${key}" of a test${didYouMean(key, known)}`);
  const entry = checkValues(entrySchema, given, { source, findings, where });
  if (entry === undefined) return undefined;
  const actions = ['exec', 'plugin', ...foreignActions].filter((key) => given[key] !== undefined);
  const nodes = entry.nodes === undefined ? [] : [entry.nodes].flat();
  const draft = { where, given, entry, at: source.keyAt(map, name), actions, nodes };
  checkWhole(draft, context);
  warnAboutSkipped(draft, context);
  const wait = waitOf(entry, waits);
  if (wait === undefined)
    findings.error(
      source.valueAt(given, 'wait'),
      `${where}: defaults.const.validate has no time ${String(entry.wait)}`,
    );
  return findings.errorCount > errors ? undefined : testOf(name, draft, wait ?? null);
}

function testOf(name: string, { entry, nodes, actions }: Draft, wait: number | null): LabTest {
  return {
    name,
    description: entry.description ?? null,
    nodes,
    wait,
    waitMessage: entry.wait_msg ?? null,
    pass: entry.pass ?? null,
    fail: entry.fail ?? null,
    plugin: entry.plugin ?? null,
    exec: forUs(entry.exec),
    valid: forUs(entry.valid),
    hasAction: actions.length > 0,
    stopsOnError: entry.stop_on_error ?? false,
    isWarning: entry.level !== undefined,
  };
}

/** The tests of `map`, in its order. Wrong tests are reported and left out. */
export function readTests(map: unknown, context: Context): LabTest[] {
  const { source, findings } = context;
  if (map === undefined || map === null) return [];
  if (!isMapping(map)) {
    findings.error(source.valueAt(source.root, 'validate'), 'validate must be a map from names to tests');
    return [];
  }
  return Object.entries(map).flatMap(([name, given]) => {
    const at = source.keyAt(map, name);
    if (!identifierFormat.test(name))
      findings.error(at, `the name of a test ${identifierHelp}, unlike "${name}"`);
    else if (!isMapping(given)) findings.error(at, `validate.${name} must be a map`);
    else return readTest(name, given, map, context) ?? [];
    return [];
  });
}
