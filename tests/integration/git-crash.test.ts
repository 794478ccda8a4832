/**
 * Takes the state of the disk before every step of a job from Git, as it is after a SIGKILL there, and starts a service on each.
 * That service has the job with its files, or neither; and nothing else is left.
 */
import { beforeAll, expect } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gitMissing, startGitServer, type GitServer, type Repository } from '../support/git-server.ts';
import { testUnless } from '../support/requirements.ts';
import { makeGround, startProgram, startService, topologyThat } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { it, because } = testUnless(gitMissing);
const preload = path.join(__dirname, '..', 'fixtures', 'crash-at.cjs');
const root = temporaryDirectory();
const inOwn = (dataDir: string, ...names: string[]): string =>
  path.join(dataDir, 'workspaces', '.lab-api', ...names);

let server: GitServer;
let course: Repository;

beforeAll(async () => {
  if (gitMissing !== undefined) return;
  server = await startGitServer(root);
  course = server.repository('course.git');
  const topology = topologyThat();
  for (const version of ['old', 'new'])
    course.commit(
      { 'topology.yml': topology, version, [`only-${version}/file`]: version },
      `refs/heads/${version}`,
    );
});

const request = (version: string, workspace: string): object => ({
  action: 'create',
  workspace,
  source: { git: `${server.url}course.git`, ref: version },
  // The job itself is not what crashes here.
  labels: { version },
});

/** `old` or `new`, if that is all that is there. */
function versionIn(directory: string): string | undefined {
  if (!existsSync(directory)) return undefined;
  const version = readFileSync(path.join(directory, 'version'), 'utf8');
  const names = readdirSync(directory);
  const other = version === 'old' ? 'new' : 'old';
  expect(names).toContain(`only-${version}`);
  expect(names).not.toContain(`only-${other}`);
  return version;
}

it.each(['nothing', 'older files'])(
  `a crash leaves a job with its files, or %s${because}`,
  async (before) => {
    const ground = makeGround();
    const [mark, copies] = [path.join(ground.root, 'mark'), path.join(ground.root, 'copies')];
    const env = {
      ...server.env,
      NODE_OPTIONS: `--require=${preload}`,
      CRASH_MARK: mark,
      CRASH_COPY: ground.dataDir,
      CRASH_NOTE: copies,
    };
    const program = await startProgram({ ground, env });
    const hadFiles = before === 'older files';
    if (hadFiles) await program.ended((await program.post('/jobs', request('old', 'course'))).json.id);
    writeFileSync(mark, '');
    const reply = await program.post('/jobs', request('new', 'course'));
    expect(reply.status).toBe(202);
    await program.end('SIGKILL');
    const found = readdirSync(copies);
    expect(found.length).toBeGreaterThanOrEqual(10);
    const outcomes = new Set<string>();
    const check = async (number: string): Promise<void> => {
      const dataDir = path.join(copies, number, 'data');
      const step = readFileSync(path.join(copies, number, 'step'), 'utf8');
      const next = await startService({ env: { ...server.env, LAB_API_DATA_DIR: dataDir } });
      const { jobs } = (await next.get('/jobs?label=version%3Dnew')).json;
      const workspace = (await next.get('/workspaces/course')).json;
      const left = ['incoming', 'trash'].flatMap((name) => readdirSync(inOwn(dataDir, name)));
      const expected = jobs.length > 0 ? 'new' : hadFiles ? 'old' : undefined;
      const version = versionIn(path.join(dataDir, 'workspaces', 'course'));
      expect({ step, left, version, ref: workspace.source?.ref }).toEqual({
        step,
        left: [],
        version: expected,
        ref: expected,
      });
      const isAnswered = existsSync(path.join(copies, number, 'answered'));
      if (isAnswered) expect(jobs).toHaveLength(1);
      outcomes.add(String(version));
      await next.stop({ cancelJobs: true });
    };
    await Promise.all(found.map(check));
    expect(outcomes).toEqual(new Set(['new', hadFiles ? 'old' : 'undefined']));
  },
);
