/** `lab start --git`, as a user types it, and the command of docs/git.md. */
import { beforeAll, expect } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gitMissing, startGitServer, type GitServer } from '../support/git-server.ts';
import { remoteLab } from '../support/remote-lab.ts';
import { testUnless } from '../support/requirements.ts';
import { topologyThat } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { it, because } = testUnless(gitMissing);
const root = temporaryDirectory();
// Where the server is, the service reads only when it is asked: its port is not known yet.
const { service, ran } = remoteLab({
  LAB_API_GIT_HOSTS: '127.0.0.1',
  GIT_SSL_CAINFO: path.join(root, 'git-server.cert.pem'),
});

let server: GitServer;
let commit: string;

beforeAll(async () => {
  if (gitMissing !== undefined) return;
  server = await startGitServer(root);
  commit = server.repository('course.git').commit({ 'labs/ospf/topology.yml': topologyThat() });
});

it(`the command of docs/git.md starts a lab, and the job tells the commit${because}`, async () => {
  const page = readFileSync(path.join(__dirname, '../../docs/git.md'), 'utf8');
  const [, command = ''] = /^```sh\n(lab start --git .*)\n```$/m.exec(page) ?? [];
  const words = command.replace('https://git.example.org/', server.url).split(' ').slice(1);
  const run = await ran(words);
  expect(run).toEqual({ exitCode: 0, output: expect.stringMatching(/success/) });
  const [job] = (await service().get('/jobs')).json.jobs;
  const source = { git: `${server.url}course.git`, ref: 'main', path: 'labs/ospf', commit };
  expect(job).toMatchObject({ action: 'up', source, workspace: job.id });
  expect((await ran(['job', job.id])).output).toContain(commit);
  expect(JSON.parse((await ran(['job', job.id, '-o', 'json'])).output)).toMatchObject({ source });
});

it(`a request in a file gets the ref of the command line${because}`, async () => {
  const file = path.join(root, 'request.json');
  const { writeFileSync } = await import('node:fs');
  const source = { git: `${server.url}course.git`, path: 'labs/ospf', ref: 'none' };
  writeFileSync(file, JSON.stringify({ action: 'create', source }));
  const run = await ran(['start', '--json', file, '--ref', commit, '--wait', '-o', 'json']);
  expect(run.exitCode).toBe(0);
  expect(JSON.parse(run.output)).toMatchObject({ action: 'create', source: { ref: commit, commit } });
});

it.each([
  [['start', 'up', '--ref', 'main'], 2, '--ref: give --git URL as well'],
  [['start', '--git', 'https://elsewhere.example/a.git'], 1, 'LAB_API_GIT_HOSTS'],
  [['start', '--git', 'https://127.0.0.1:1/a.git'], 1, 'refuses connections'],
])(`lab %j ends with %i${because}`, async (words, exitCode, sentence) => {
  expect(await ran(words)).toEqual({ exitCode, output: expect.stringContaining(sentence) });
});
