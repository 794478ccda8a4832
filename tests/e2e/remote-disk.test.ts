/** `lab du`, as an administrator types it. */
import { expect, test } from '@jest/globals';
import { remoteLab } from '../support/remote-lab.ts';

const { service, ran } = remoteLab();

test('lab du shows what uses the disk, and what is largest', async () => {
  const empty = await ran(['du']);
  expect(empty.output).toMatch(
    /^DIRECTORY +FREE +OF\n\/\S+ +[\d.]+ [KMGT]iB +[\d.]+ [KMGT]iB\n\nKIND +SIZE\njobs +0 bytes\nworkspaces +0 bytes\nimages .*\nstate .*\n$/,
  );
  await service().request('/workspaces/heavy', { method: 'PUT' });
  const body = Buffer.alloc(3 * 1024 * 1024);
  const headers = { 'Content-Type': 'application/octet-stream' };
  await service().request('/workspaces/heavy/files/file', { method: 'PUT', body, headers });
  const id = await service().start({ action: 'status' });
  await service().ended(id);
  const { exitCode, output } = await ran(['du']);
  expect(exitCode).toBe(0);
  expect(output).toMatch(/^workspaces +3 MiB$/m);
  expect(output).toMatch(/^USER +JOBS +WORKSPACES\n- +\S+ bytes +3 MiB$/m);
  expect(output).toMatch(/^WORKSPACE +OWNER +SIZE\nheavy +- +3 MiB$/m);
  expect(output).toMatch(new RegExp(`^JOB +ACTION +USER +SIZE\\n${id} +status +- +\\d+ bytes$`, 'm'));
  const answer: unknown = JSON.parse((await ran(['du', '-o', 'json'])).output);
  expect(answer).toMatchObject({ largestWorkspaces: [{ name: 'heavy', size: 3 * 1024 * 1024 }] });
});

test('lab du names the host that is asked for', async () => {
  const { exitCode, output } = await ran(['du', '--host', 'other']);
  expect([exitCode, output]).toEqual([1, expect.stringContaining('this service works alone')]);
});
