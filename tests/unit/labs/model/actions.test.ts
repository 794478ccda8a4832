import { describe, expect, test } from '@jest/globals';
import {
  actions,
  belongsTo,
  cleanedUpActions,
  findsDirectoryByInstance,
  passesInstanceOn,
  readsTopology,
  specOf,
} from '../../../../src/labs/model/actions.ts';
import { optionNames } from '../../../../src/labs/model/option-kinds.ts';
import { parseJobRequest } from '../../../../src/jobs/model/job-request.ts';

test.each(optionNames)('the option %s belongs to an action', (name) => {
  expect(actions.filter((action) => belongsTo(name, action))).not.toEqual([]);
});

test.each([
  // It names no instance; its lab is that of its topology.
  { action: 'up', isInItsDirectory: false, isTold: false },
  { action: 'down', isInItsDirectory: true, isTold: true },
  { action: 'collect', isInItsDirectory: true, isTold: false },
  { action: 'status', isInItsDirectory: false, isTold: true },
] as const)('the instance of $action', ({ action, isInItsDirectory, isTold }) => {
  expect(findsDirectoryByInstance(action)).toBe(isInItsDirectory);
  expect(passesInstanceOn(action)).toBe(isTold);
});

test('a topology is read to start a lab, but not from its snapshot', () => {
  expect(readsTopology('up', {})).toBe(true);
  expect(readsTopology('up', { snapshot: false })).toBe(true);
  expect(readsTopology('up', { snapshot: true })).toBe(false);
  expect(readsTopology('down', {})).toBe(false);
});

describe('what is left of an action that was ended half-way', () => {
  test.each(cleanedUpActions)('%s: is taken away by a request that makes sense', (action) => {
    const { cleanedUpBy } = specOf(action);
    const { warnings, options, action: cleaner } = parseJobRequest({ ...cleanedUpBy });
    const given = optionNames.filter((name) => options[name] !== undefined);
    expect(warnings).toEqual([]);
    expect(given).not.toEqual([]);
    expect(given.filter((name) => !belongsTo(name, cleaner))).toEqual([]);
  });

  test.each(cleanedUpActions)('%s: is said, too, for clients that do not ask for it', (action) => {
    expect(specOf(action).hintWhenHalfDone).toBeDefined();
  });
});
