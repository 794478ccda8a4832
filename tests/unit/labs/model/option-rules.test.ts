import { describe, expect, test } from '@jest/globals';
import type { Action } from '../../../../src/labs/model/actions.ts';
import { brokenRule } from '../../../../src/labs/model/option-rules.ts';
import type { CliOptionValues } from '../../../../src/labs/model/options.ts';

describe('options that', () => {
  test.each<[Action, CliOptionValues, string, string]>([
    ['config', {}, 'template', 'is required by "config"'],
    ['exec', { nodes: [], command: ['id'] }, 'nodes', 'is required by "exec"'],
    ['exec', { nodes: ['h1'] }, 'command', 'is required by "exec"'],
    [
      'create',
      { multilabId: 'auto' },
      'multilabId',
      '"auto" goes with "up" only: give a number from 1 to 200',
    ],
    ['up', { multilabId: 'auto', snapshot: true }, 'multilabId', '"auto" does not go with "snapshot"'],
    ['down', { cleanup: true, nodeFilter: ['r1'] }, 'cleanup', 'does not go with "nodeFilter"'],
  ])('%s must not have: %j', (action, options, field, message) => {
    expect(brokenRule(action, options)).toEqual({ field, message: expect.stringContaining(message) });
  });

  test.each<[Action, CliOptionValues]>([
    ['config', { template: 'motd' }],
    ['validate', { nodes: [] }],
    ['create', { multilabId: 7 }],
    ['up', { multilabId: 'auto', snapshot: false }],
    ['up', { multilabId: 7, snapshot: true }],
    ['down', { cleanup: false, nodeFilter: ['r1'] }],
    ['down', { cleanup: true }],
  ])('%s may have: %j', (action, options) => {
    expect(brokenRule(action, options)).toBeUndefined();
  });
});
