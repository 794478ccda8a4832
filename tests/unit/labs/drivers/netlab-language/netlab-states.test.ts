import { describe, expect, test } from '@jest/globals';
import { netlabStatus } from '../../../../../src/labs/drivers/netlab-language/netlab-status.ts';

describe('the state of a lab', () => {
  // The sentences of netsim/cli, in the order of an `up`, an `initial` and a `down`; and the words of the bundled engine.
  test.each([
    ['started', 'started'],
    ['starting', 'starting'],
    ['starting lab', 'starting'],
    ['restarting lab', 'starting'],
    ['starting provider clab', 'starting'],
    ['clab workload started', 'starting'],
    ['deploying initial configuration', 'starting'],
    ['initial configuration complete', 'starting'],
    ['reloading saved initial configurations', 'starting'],
    ['saved initial configurations reloaded', 'starting'],
    ['starting external tools', 'starting'],
    ['1/2 external tools started', 'starting'],
    ['normalizing device configurations', 'starting'],
    ['deploying configuration: initial, ospf', 'starting'],
    ['devices are ready', 'starting'],
    ['configuration deployment complete', 'started'],
    ['stopping', 'stopping'],
    ['stopping external tools', 'stopping'],
    ['external tools stopped', 'stopping'],
    ['lab shutdown requested', 'stopping'],
    ['lab shutdown requested in conflicting directory', 'stopping'],
    ['stopping clab provider', 'stopping'],
    ['missing', 'missing'],
    ['conflict -- trying to start lab in /labs/demo', 'other'],
    ['started?', 'other'],
    [7, 'other'],
    [undefined, 'other'],
  ])('%p is %s', (status, state) => {
    expect(netlabStatus.stateOf({ status })).toBe(state);
  });
});

describe('a lab with a log', () => {
  const at = (minute: number): string => `2026-01-15T09:3${minute}:00.500000+00:00`;
  const logOf = (...lines: readonly string[]): string[] =>
    lines.map((line, minute) => `${at(minute)}: ${line}`);
  const begun = ['starting lab', 'clab workload started', 'deploying initial configuration'];
  const [configuring, complete] = ['deploying configuration: initial', 'configuration deployment complete'];
  const started = logOf('starting lab', 'started');
  const startedAtMs = (minute: number): number => Date.UTC(2026, 0, 15, 9, 30 + minute, 0, 500);

  test.each<[string, string, readonly string[], string, number | null]>([
    ['that an initial configures', configuring, started, 'started', 1],
    ['that an initial has configured', complete, started, 'started', 1],
    ['that was wanted elsewhere', 'conflict -- trying to start lab in /b', started, 'started', 1],
    [
      'that was wanted elsewhere while it went',
      'conflict -- trying to start lab in /b',
      logOf('starting lab', 'started', 'lab shutdown requested', 'conflict -- trying to start lab in /b'),
      'stopping',
      null,
    ],
    ['that its up configures', configuring, logOf(...begun, configuring), 'starting', null],
    ['that its up has configured', complete, logOf(...begun, configuring, complete), 'starting', null],
    [
      'that its up could not configure, but an initial could',
      complete,
      logOf(...begun, configuring, 'ERROR: netlab initial --no-message', configuring, complete),
      'started',
      6,
    ],
    ['without configurations, then an initial', complete, logOf('starting lab', complete), 'started', 1],
    [
      'that is started anew',
      configuring,
      logOf('starting lab', 'started', 'restarting lab', 'deploying initial configuration', configuring),
      'starting',
      null,
    ],
  ])('%s', (...[, status, log, state, minute]) => {
    expect(netlabStatus.stateOf({ status, log })).toBe(state);
    expect(netlabStatus.summaryOf({ status, log }).startedAtMs).toBe(
      minute === null ? null : startedAtMs(minute),
    );
  });
});

test.each([
  ['starting provider clab', 'netlab up command was interrupted', /half started/],
  ['stopping clab provider', 'netlab down command was interrupted', /half stopped/],
  ['started', 'netlab initial command was interrupted', undefined],
  ['starting provider clab', 'OK: containerlab deploy', undefined],
])('the lab is %j, and its log ends with %j', (status, last, problem) => {
  const entry = {
    status,
    log: ['2026-01-15T09:30:00.500000+00:00: started', `2026-01-15T09:31:00+00:00: ${last}`],
  };
  const said = netlabStatus.problemOf?.(entry);
  if (problem === undefined) expect(said).toBeUndefined();
  else expect(said).toMatch(problem);
});
