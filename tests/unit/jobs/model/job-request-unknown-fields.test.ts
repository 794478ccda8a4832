import { describe, expect, test } from '@jest/globals';
import { parseJobRequest } from '../../../../src/jobs/model/job-request.ts';
import { refusalOf } from '../../../support/refusal-of.ts';

describe('unknown fields', () => {
  test('are named in the order given, ignored, and not kept', () => {
    const request = parseJobRequest({ zeta: 1, action: 'up', foo: { a: 1 }, workdir: '/x' });
    expect(request.warnings).toEqual(['unknown field "zeta" ignored', 'unknown field "foo" ignored']);
    expect(Object.keys(request.accepted).toSorted()).toEqual(['action', 'labels', 'onConflict', 'workdir']);
  });

  test.each([
    ['workdr', 'workdir'],
    ['dryrun', 'dryRun'],
    ['DRYRUN', 'dryRun'],
    ['onCancl', 'onCancel'],
    ['topologyURL', 'topologyUrl'],
    ['multilab_id', 'multilabId'],
    ['labell', 'labels'],
  ])('%s is refused: it is all but %s', (given, meant) => {
    const refusal = refusalOf({ action: 'down', [given]: true, foo: 1 });
    const message = `unknown field; did you mean "${meant}"?`;
    expect(refusal.code).toBe('invalid-request');
    expect(refusal.errors).toEqual([{ field: given, message }]);
    expect(refusal.message).toBe(`${given}: ${message}; unknown field "foo" ignored`);
  });

  test.each([
    ['wrkdr', 'workdir'],
    ['topology_pth', 'topologyPath'],
  ])('%s: the warning asks whether %s was meant', (given, meant) => {
    const warning = `unknown field "${given}" ignored; did you mean "${meant}"?`;
    expect(parseJobRequest({ action: 'up', [given]: 'x' }).warnings).toEqual([warning]);
    const { message, extra } = refusalOf({ action: 'fly', [given]: 'x' });
    expect(message.endsWith(`; ${warning}`)).toBe(true);
    expect(extra).toEqual({ warnings: [warning] });
  });

  test('a slip is named beside what else is wrong, but not when it says nothing', () => {
    const { errors } = refusalOf({ action: 'up', workdir: 5, dryrun: true });
    expect(errors.map(({ field }) => field).toSorted()).toEqual(['dryrun', 'workdir']);
    expect(parseJobRequest({ action: 'up', dryrun: null, Quiet: '' }).warnings).toEqual([]);
  });

  test('are not worth a warning when they say nothing', () => {
    expect(parseJobRequest({ action: 'up', foo: null, bar: '' }).warnings).toEqual([]);
  });

  test.each(['toString', 'constructor', 'hasOwnProperty', '__proto__', 'a"b'])(
    '%s is one of them',
    (name) => {
      const body: unknown = JSON.parse(`{"action":"up",${JSON.stringify(name)}:"x"}`);
      const request = parseJobRequest(body);
      expect(request.warnings).toEqual([`unknown field ${JSON.stringify(name)} ignored`]);
      expect(Object.hasOwn(request.accepted, name)).toBe(false);
      expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    },
  );
});
