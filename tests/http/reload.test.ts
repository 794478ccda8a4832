/** `POST /reload`, SIGHUP and `lab reload`. */
import { expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { bareShell } from '../support/remote-lab.ts';
import { makeGround, runProgram, startProgram, startService, topologyThat } from '../support/service.ts';
import { basic, bearer, makeTeam, passwords, tokens } from '../support/team.ts';

function settingsOf(...lines: readonly string[]) {
  const ground = makeGround();
  const file = path.join(ground.root, 'lab-api.env');
  const write = (...now: readonly string[]): void => writeFileSync(file, now.join('\n'));
  write(...lines);
  return { file, write, options: { ground, env: { LAB_API_SETTINGS_FILE: file } } };
}

test('more jobs may run after a reload, and those that wait start at once', async () => {
  const { options, write } = settingsOf('LAB_API_MAX_RUNNING_JOBS=1');
  const service = await startService(options);
  const start = async (name: string, ...script: readonly string[]) =>
    service.start({
      action: 'up',
      workdir: service.ground.makeWorkdir(name),
      topology: topologyThat(...script),
    });
  const [held, waiting] = [await start('one', 'wait_for go'), await start('two')];
  await service.ground.waitsFor('go');
  expect(await service.get(`/jobs/${waiting}`)).toMatchObject({ json: { state: 'queued' } });
  write('LAB_API_MAX_RUNNING_JOBS=2', 'LAB_API_SESSION_TTL=1h');
  expect(await service.request('/reload', { method: 'POST' })).toMatchObject({
    status: 200,
    json: {
      changed: [{ variable: 'LAB_API_MAX_RUNNING_JOBS', before: '1', after: '2' }],
      needsRestart: ['LAB_API_SESSION_TTL'],
    },
  });
  expect(await service.ended(waiting)).toMatchObject({ state: 'success' });
  service.ground.let('go');
  expect(await service.ended(held)).toMatchObject({ state: 'success' });
});

test('settings that are wrong change nothing, and each is named', async () => {
  const { options, write, file } = settingsOf();
  const service = await startService(options);
  write('LAB_API_MAX_TTL=1h', 'LAB_API_KEEP_DAYS=never', 'LAB_API_KEEP_JOBS=many');
  const reply = await service.request('/reload', { method: 'POST' });
  expect(reply).toMatchObject({ status: 409, json: { code: 'wrong-settings' } });
  expect((reply.json as { detail: string }).detail).toMatch(
    /^the settings stay as they were: LAB_API_KEEP_JOBS: .*; LAB_API_KEEP_DAYS: /,
  );
  expect(await service.get('/')).toMatchObject({ json: { leases: { maxTtlSeconds: null } } });
  const run = runProgram(['reload'], { ...bareShell, LAB_API_URL: service.url });
  expect([await run.exit, run.output()]).toEqual([1, expect.stringContaining('LAB_API_KEEP_DAYS')]);
  write('LAB_API_MAX_TTL=1h');
  const good = runProgram(['reload'], { ...bareShell, LAB_API_URL: service.url });
  expect([await good.exit, good.output()]).toEqual([
    0,
    'CHANGED          BEFORE     NOW\nLAB_API_MAX_TTL  (default)  1h\n',
  ]);
  expect(await service.get('/')).toMatchObject({ json: { leases: { maxTtlSeconds: 3_600 } } });
  const again = runProgram(['reload'], { ...bareShell, LAB_API_URL: service.url });
  expect([await again.exit, again.output()]).toEqual([0, `lab: no setting has changed in ${file}\n`]);
});

test('only administrators may reload; without a settings file, nothing changes', async () => {
  const ground = makeGround();
  const team = await makeTeam(ground.root);
  const service = await startService({ ground, env: { LAB_API_USERS_FILE: team.file } });
  const reload = async (headers: Readonly<Record<string, string>>) =>
    service.request('/reload', { method: 'POST', headers });
  expect((await reload({})).status).toBe(401);
  expect(await reload(bearer(tokens.ci))).toMatchObject({ status: 403 });
  const admin = basic('ops', passwords.ops);
  const nothing = { file: null, changed: [], needsRestart: [] };
  expect(await reload(admin)).toMatchObject({ status: 200, json: { ...nothing, warnings: [] } });
  writeFileSync(team.file, 'users: 7');
  const users = expect.stringMatching(/^the users stay who they were: .*users/);
  expect(await reload(admin)).toMatchObject({ status: 200, json: { ...nothing, warnings: [users] } });
});

test('SIGHUP reads the settings again, the level of the log too, and goes on with wrong ones', async () => {
  const { options, write } = settingsOf('LAB_API_LOG_LEVEL=info');
  const program = await startProgram(options);
  write('LAB_API_LOG_LEVEL=debug', 'LAB_API_KEEP_DASY=3');
  program.run.child.kill('SIGHUP');
  const { input } = await program.run.prints(/the settings were read again.*\n/);
  expect(input).toContain(
    'LAB_API_KEEP_DASY is not known and has no effect; did you mean LAB_API_KEEP_DAYS?',
  );
  await program.get('/labs');
  await program.run.prints(/debug request .*path=\/labs/);
  write('LAB_API_KEEP_DAYS');
  program.run.child.kill('SIGHUP');
  await program.run.prints(/error the settings stay as they were .*line 1 is neither NAME=value/);
  expect((await program.get('/healthz')).status).toBe(200);
});

test('SIGHUP during the start does not end the service, and takes effect after it', async () => {
  const { options } = settingsOf('LAB_API_LOG_LEVEL=info');
  const preload = path.join(__dirname, '..', 'fixtures', 'hangup-at-start.cjs');
  const env = { ...options.env, NODE_OPTIONS: `--require=${preload}` };
  const program = await startProgram({ ...options, env });
  const { input } = await program.run.prints(/the settings were read again/);
  expect(input).toMatch(/lab-api is listening[^]*the settings were read again/);
});

test('jobs do not get the secrets in the settings file', async () => {
  const { options } = settingsOf('LAB_API_USER=ops', 'LAB_API_PASSWORD=not-for-jobs', 'SEEN=by-jobs');
  const client = { headers: basic('ops', 'not-for-jobs') };
  const program = await startProgram({ ...options, client });
  const job = { action: 'up', workdir: program.ground.makeWorkdir('one'), topology: topologyThat('env') };
  const id = await program.start(job);
  await program.ended(id);
  const { text } = await program.get(`/jobs/${id}/log`);
  expect(text).toContain('SEEN=by-jobs');
  expect(text).not.toContain('not-for-jobs');
});
