/**
 * Each entry has everything that the service knows about an action; no other file names an action. The details of one lab CLI
 * (flags, messages, results) are in its driver.
 */
import type { ActionSpec } from './action-spec.ts';
import type { OptionName } from './option-kinds.ts';

const halfStarted = {
  hintWhenHalfDone: 'the lab may be half started: run "down" with "cleanup" in this directory',
  mayLeaveLab: true,
  cleanedUpBy: { action: 'down', cleanup: true, force: true },
} as const;

/** Actions on single nodes of a lab. */
const ofNodes = {
  locksWorkdir: true,
  needsTopology: false,
  instance: 'by-name-in-its-directory',
  changesNodes: true,
  options: ['nodes', 'vars', 'nodeWaitSeconds', 'quiet', 'verbose'],
  needs: ['nodes'],
  hintWhenHalfDone: 'a node may be stopped, or run without its links: run "restart-nodes" for it',
} as const;

const halfConfigured = 'some devices may be configured, and others not: run it again';

const actionSpecs = {
  up: {
    description: 'start a lab',
    locksWorkdir: true,
    needsTopology: true,
    startsLab: true,
    options: [
      'device',
      'provider',
      'plugin',
      'set',
      'multilabId',
      'noConfig',
      'reloadConfig',
      'noTools',
      'fastConfig',
      'dryRun',
      'snapshot',
      'reconfigure',
      'nodeFilter',
      'maxWorkers',
      'vars',
      'skipPostDeploy',
      'exportTemplate',
      'quiet',
      'verbose',
    ],
    ...halfStarted,
  },
  create: {
    description: 'create the configuration files of a lab without starting it',
    locksWorkdir: true,
    needsTopology: true,
    options: [
      'device',
      'provider',
      'plugin',
      'set',
      'multilabId',
      'output',
      'nodeFilter',
      'vars',
      'quiet',
      'verbose',
    ],
  },
  down: {
    description: 'stop a lab',
    stopsLab: true,
    locksWorkdir: true,
    needsTopology: false,
    instance: 'by-name-in-its-directory',
    options: [
      'cleanup',
      'force',
      'dryRun',
      'nodeFilter',
      'maxWorkers',
      'vars',
      'graceful',
      'keepMgmtNet',
      'verbose',
    ],
    verifiedBy: 'lab-is-gone',
    hintWhenHalfDone: 'the lab may be half stopped: run "down" again',
    mayLeaveLab: true,
  },
  collect: {
    description: 'collect the configurations of the devices of a lab',
    locksWorkdir: true,
    needsTopology: false,
    // netlab 26.10 goes into the directory of the instance by itself only at times.
    instance: 'in-its-directory',
    options: [
      'collectOutput',
      'collectSuffix',
      'collectTar',
      'collectCleanup',
      'nodeFilter',
      'quiet',
      'verbose',
    ],
    verifiedBy: 'lab-was-found',
  },
  status: {
    description: 'show the labs on this machine',
    locksWorkdir: false,
    needsTopology: false,
    instance: 'by-name',
    options: [],
  },
  restart: {
    description: 'stop a lab, and start it again',
    locksWorkdir: true,
    needsTopology: false,
    instance: 'by-name-in-its-directory',
    restartsLab: true,
    options: [
      'noConfig',
      'fastConfig',
      'cleanup',
      'graceful',
      'maxWorkers',
      'vars',
      'skipPostDeploy',
      'quiet',
      'verbose',
    ],
    ...halfStarted,
  },
  validate: {
    description: 'run the tests of a lab',
    // Some of its tests configure devices; and a client that asks for `up` and `validate` wants them in this order.
    locksWorkdir: true,
    needsTopology: false,
    instance: 'by-name-in-its-directory',
    options: ['tests', 'nodes', 'skipWait', 'errorOnly', 'testSource', 'verbose'],
    result: 'tests',
  },
  initial: {
    description: 'configure the devices of a lab',
    locksWorkdir: true,
    needsTopology: false,
    instance: 'by-name-in-its-directory',
    options: ['limit', 'quiet', 'verbose'],
    hintWhenHalfDone: halfConfigured,
  },
  config: {
    description: 'deploy a configuration template to the devices of a lab',
    locksWorkdir: true,
    needsTopology: false,
    instance: 'by-name-in-its-directory',
    options: ['template', 'limit', 'quiet', 'verbose'],
    needs: ['template'],
    hintWhenHalfDone: halfConfigured,
  },
  exec: {
    description: 'run a command in nodes of a lab',
    locksWorkdir: true,
    needsTopology: false,
    instance: 'by-name-in-its-directory',
    options: ['nodes', 'command'],
    needs: ['nodes', 'command'],
    hintWhenHalfDone: 'the command may go on in a node',
    result: 'outputs',
  },
  'start-nodes': {
    ...ofNodes,
    description: 'start nodes of a lab that were stopped',
    verifiedBy: 'nodes-have-started',
  },
  'stop-nodes': {
    ...ofNodes,
    description: 'stop nodes of a lab, which keeps their links',
    verifiedBy: 'nodes-have-stopped',
  },
  'restart-nodes': {
    ...ofNodes,
    description: 'stop nodes of a lab, and start them again',
    verifiedBy: 'nodes-have-started',
  },
  scenario: {
    description: 'break links and nodes of a lab one after the other, and measure its traffic',
    isOfService: true,
    // No job may start or stop nodes meanwhile.
    locksWorkdir: true,
    needsTopology: false,
    instance: 'by-name-in-its-directory',
    options: ['scenarioPath'],
    result: 'tests',
  },
} as const satisfies Record<string, ActionSpec>;

export type Action = keyof typeof actionSpecs;

type Specs = (typeof actionSpecs)[Action];

/** The checks that a driver must have after exit code 0. */
export type ResultCheck = Extract<Specs, { verifiedBy: string }>['verifiedBy'];

/** The results that a driver must read from the output. */
export type ResultKind = Extract<Specs, { result: string }>['result'];

/** An action with a request that cleans up after it. */
type CleaningAction = Extract<Specs, { cleanedUpBy: object }>['cleanedUpBy']['action'];

export const actions = Object.keys(actionSpecs) as readonly Action[];

interface KnownActionSpec extends ActionSpec {
  readonly verifiedBy?: ResultCheck;
  readonly cleanedUpBy?: ActionSpec['cleanedUpBy'] & { readonly action: CleaningAction & Action };
}

export function specOf(action: Action): KnownActionSpec {
  return actionSpecs[action];
}

/** Whether the option `name` has a meaning for `action`. */
export function belongsTo(name: OptionName, action: Action): boolean {
  const { options, instance } = specOf(action);
  return name === 'instance' ? instance !== undefined : options.includes(name);
}

/** Whether a job of `action` runs in the directory of the instance that its request names. */
export function findsDirectoryByInstance(action: Action): boolean {
  const { instance } = specOf(action);
  return instance === 'in-its-directory' || instance === 'by-name-in-its-directory';
}

/** Whether the lab CLI gets the instance that a request names. */
export function passesInstanceOn(action: Action): boolean {
  const { instance } = specOf(action);
  return instance === 'by-name' || instance === 'by-name-in-its-directory';
}

/** The fields of a request that give its topology, in order of precedence. */
export const topologyFields = ['topologyUrl', 'topology', 'topologyPath'] as const;

/** The actions that read a topology. */
export const topologyActions = actions.filter((action) => specOf(action).needsTopology);

/** Whether a job reads a topology: not when it starts a lab from its snapshot. */
export function readsTopology(action: Action, options: { readonly snapshot?: unknown }): boolean {
  return specOf(action).needsTopology && options.snapshot !== true;
}

/** The actions that `onCancel` has a meaning for. */
export const cleanedUpActions = actions.filter((action) => specOf(action).cleanedUpBy !== undefined);

/** The actions whose lab may have an end. A restart lets a lab keep its own. */
export const leasedActions = cleanedUpActions.filter((action) => specOf(action).needsTopology);

/** Whether a lab is there after it, new or started anew. */
export function startsLab(action: Action): boolean {
  const { startsLab: isNew, restartsLab: isAnew } = specOf(action);
  return isNew === true || isAnew === true;
}

/** The actions that take `replace`. */
export const replacingActions = actions.filter((action) => specOf(action).startsLab === true);

/** The request, without its directory, that takes a lab away before another one takes its place. */
export const makeRoom = { action: 'down' } as const satisfies { readonly action: Action };

/** The actions after which a job can wait until the nodes of its lab are ready. */
export const readyActions = actions.filter(startsLab);

/** The actions that take a `scenario`. */
export const scenarioActions = actions.filter((action) => specOf(action).isOfService === true);

/** The values of `onCancel` besides `keep`: the action that takes away the rest of the lab. */
export const cleaningActions = [
  ...new Set(actions.flatMap((action) => specOf(action).cleanedUpBy?.action ?? [])),
];
