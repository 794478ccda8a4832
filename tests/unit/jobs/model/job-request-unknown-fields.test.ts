import { describe, expect, test } from '@jest/globals';
import { jobRequestSchema } from '../../../../src/jobs/model/job-request-schema.ts';
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

  test('are named up to the twentieth; of the rest it is said how many there are', () => {
    const names = Array.from({ length: 22 }, (_, index) => `nobody-knows-${index}-${'x'.repeat(200)}`);
    const { warnings } = parseJobRequest({
      action: 'up',
      ...Object.fromEntries(names.map((name) => [name, 1])),
    });
    expect(warnings).toHaveLength(21);
    expect(warnings[0]).toBe(`unknown field "${names[0]!.slice(0, 100)}" ignored`);
    expect(warnings[20]).toBe('2 more unknown fields ignored');
    const twenty = Object.fromEntries(names.slice(0, 20).map((name) => [name, 1]));
    expect(parseJobRequest({ action: 'up', ...twenty }).warnings).toHaveLength(20);
  });

  test('slips are refused, and twenty of them are named', () => {
    const slips = Object.keys(jobRequestSchema.shape).map((name) => `${name}Z`);
    const { errors } = refusalOf({ action: 'up', ...Object.fromEntries(slips.map((name) => [name, 1])) });
    expect(slips.length).toBeGreaterThan(20);
    expect(errors.map(({ field }) => field)).toEqual(slips.slice(0, 20));
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
