/** Tokens, as the client and the commands for another server bring them. */
import { beforeAll, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { LabApiClient } from '../../src/client/lab-api-client.ts';
import { makeGround, runProgram, startService, type RunningService } from '../support/service.ts';
import { makeTeam, passwords, tokens } from '../support/team.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService({ env: (await makeTeam(makeGround().root)).env });
});

async function lab(
  words: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ exitCode: number | null; output: string }> {
  const { root, env: own } = service.ground;
  const run = runProgram(
    ['--server', service.url, ...words],
    { PATH: own['PATH'], HOME: root, ...env },
    root,
  );
  return { exitCode: await run.exit, output: run.output() };
}

test('the client starts a job with a token, as its user', async () => {
  const client = new LabApiClient({ url: service.url, credentials: { token: tokens.ci } });
  const { id } = await client.startJob({ action: 'status' });
  await service.request(`/jobs/${id}?wait=30`, { headers: { Authorization: `Bearer ${tokens.ci}` } });
  expect(await client.getJob(id)).toMatchObject({ id, requestedBy: 'ci' });
});

test('the client is told of a token that has expired', async () => {
  const client = new LabApiClient({ url: service.url, credentials: { token: tokens.old } });
  await expect(client.listJobs()).rejects.toMatchObject({ status: 401, code: 'unauthorized' });
});

test('lab takes the token from the environment, and from files', async () => {
  const file = path.join(service.ground.root, 'token');
  writeFileSync(file, `${tokens.ci}\n`);
  for (const { words, env } of [
    { words: ['jobs'], env: { LAB_API_TOKEN: tokens.ci } },
    { words: ['jobs'], env: { LAB_API_TOKEN_FILE: file } },
    { words: ['jobs', '--token-file', file], env: {} },
  ])
    expect(await lab(words, env)).toMatchObject({ exitCode: 0 });
  const refused = await lab(['jobs'], { LAB_API_TOKEN: tokens.old });
  expect(refused.exitCode).not.toBe(0);
  expect(refused.output).toMatch(
    /^lab: the token tok_\w+ has expired \(2020-.*; check --user .* or --token-file$/m,
  );
  expect(refused.output).not.toContain(tokens.old);
});

test('lab takes user and password of the users file', async () => {
  const env = { LAB_API_USER: 'ops', LAB_API_PASSWORD: passwords.ops };
  expect(await lab(['jobs'], env)).toMatchObject({ exitCode: 0 });
});
