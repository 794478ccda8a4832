/** `lab share`, as a user types it. */
import { beforeAll, expect, test } from '@jest/globals';
import { remoteLab } from '../support/remote-lab.ts';
import { topologyThat } from '../support/service.ts';

const { service, ran } = remoteLab({ FAKE_LAB_LOGS: '1' });

beforeAll(async () => {
  const up = { action: 'up', workspace: 'course', topology: topologyThat(), multilabId: 7 };
  await service().ended(await service().start(up));
  await service().request('/labs/7/snapshots', { method: 'POST', body: { name: 'stage-1' } });
});

test.each([
  ['7', []],
  ['course', ['--workspace']],
  ['stage-1', ['--snapshot']],
])('lab share %s %j replaces the shares, lists and ends them', async (what, flags) => {
  const run = async (...words: readonly string[]) => ran(['share', ...flags, what, ...words]);
  expect(await run()).toEqual({ exitCode: 0, output: expect.stringMatching(/^KIND +NAME +AS\n$/) });
  const sam = { kind: 'user', name: 'sam', as: 'viewer' };
  const { exitCode, output } = await run('sam', 'eva@example.org:operator', '-o', 'json');
  expect(exitCode).toBe(0);
  expect(JSON.parse(output)).toEqual({
    shares: [sam, { kind: 'user', name: 'eva@example.org', as: 'operator' }],
  });
  expect((await run('sam:viewer')).output).toMatch(/^user +sam +viewer$/m);
  expect(JSON.parse((await run('-o', 'json')).output)).toEqual({ shares: [sam] });
  expect((await run('@course')).output).toContain('there is no group "course"');
  expect(JSON.parse((await run('-o', 'json')).output)).toEqual({ shares: [sam] });
  expect(await run('--none')).toMatchObject({ exitCode: 0 });
  expect(JSON.parse((await run('-o', 'json')).output)).toEqual({ shares: [] });
});

test.each([
  [['sam:admin'], 2, '"sam:admin" is no user or group: write USER or @GROUP'],
  [['@'], 2, '"@" is no user or group'],
  [['a:viewer:b'], 2, '"a:viewer:b" is no user or group'],
  [['sam', '--workspace', '--snapshot'], 2, 'name a workspace or a snapshot, not both'],
  [['sam', '--host', 'north'], 2, '--host is for snapshots'],
  [['sam', '--none'], 2, '--none ends all shares: leave out the users'],
])('lab share 7 %j ends with %i', async (words, exitCode, sentence) => {
  const run = await ran(['share', '7', ...words]);
  expect(run).toEqual({ exitCode, output: expect.stringContaining(sentence) });
});

test('an unknown lab is named', async () => {
  expect(await ran(['share', '9', 'sam'])).toEqual({ exitCode: 1, output: expect.stringContaining('"9"') });
});
