/** Repositories and servers that want to do harm, or are of no use: nothing comes of them, and nothing is left. */
import { beforeAll, expect } from '@jest/globals';
import http from 'node:http';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { gitMissing, startGitServer, type GitServer, type Repository } from '../support/git-server.ts';
import { listeners } from '../support/listening.ts';
import { expectProblem } from '../support/problem.ts';
import { testUnless } from '../support/requirements.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const { it, because } = testUnless(gitMissing);
const root = temporaryDirectory();
const listen = listeners();

let server: GitServer;
let service: RunningService;
let made = 0;

const topology = topologyThat();
const mark = path.join(root, 'done-by-a-repository');

function repository(): { readonly made: Repository; readonly url: string } {
  made += 1;
  return { made: server.repository(`r${made}.git`), url: `${server.url}r${made}.git` };
}

const limits = {
  LAB_API_MAX_FILE_SIZE: '100KiB',
  LAB_API_MAX_WORKSPACE_SIZE: '1MiB',
  LAB_API_MAX_WORKSPACE_FILES: '100',
};

async function start(
  url: string,
  { ref, on = service }: { readonly ref?: string; readonly on?: RunningService } = {},
): ReturnType<RunningService['post']> {
  return on.post('/jobs', { action: 'create', source: { git: url, ...(ref && { ref }) } });
}

/** After a refusal: no workspace, no file, no process of git. */
async function expectNothingLeft(on = service): Promise<void> {
  const own = path.join(on.ground.dataDir, 'workspaces');
  expect(readdirSync(own)).toEqual(['.lab-api']);
  for (const name of ['incoming', 'trash', 'records'])
    expect(readdirSync(path.join(own, '.lab-api', name))).toEqual([]);
  expect(processesWith(`GIT_CONFIG_GLOBAL=/dev/null`).filter((pid) => isOfService(pid, on))).toEqual([]);
  expect((await on.get('/jobs')).json.jobs).toEqual([]);
  expect(existsSync(mark)).toBe(false);
}

function isOfService(pid: number, { ground }: RunningService): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`HOME=${ground.dataDir}`);
  } catch {
    return false;
  }
}

beforeAll(async () => {
  if (gitMissing !== undefined) return;
  server = await startGitServer(root);
  service = await startService({ env: { ...server.env, ...limits } });
});

it(`links, submodules and attributes mean nothing: plain files come as they are${because}`, async () => {
  const { made: hostile, url } = repository();
  const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n';
  const attributes = [
    '* filter=evil eol=crlf ident export-subst working-tree-encoding=UTF-16',
    'hidden export-ignore',
    '*.bin filter=lfs',
  ].join('\n');
  const plain = {
    'topology.yml': topology,
    '.gitattributes': attributes,
    '.gitmodules': '[submodule "m"]\n\tpath = m\n\turl = ext::sh -c "touch x"\n\tupdate = !touch x\n',
    '.lfsconfig': '[lfs]\n\turl = https://elsewhere.example/\n',
    hidden: '$Id$ $Format:%H$\n',
    'disk.bin': pointer,
  };
  hostile.commit({
    ...plain,
    passwd: { mode: '120000', content: '/etc/passwd' },
    up: { mode: '120000', content: '../../..' },
    m: { mode: '160000', object: '1'.repeat(40) },
  });
  const other = await startService({ env: { ...server.env, ...limits } });
  const reply = await start(url, { on: other });
  expect(reply.json.warnings).toEqual([
    'source: symbolic links are left out: 2, such as "passwd"',
    'source: submodules are left out: "m"',
  ]);
  const { workdir } = await other.ended(reply.json.id);
  for (const [name, content] of Object.entries(plain))
    expect(readFileSync(path.join(workdir, name), 'utf8')).toBe(content);
  expect(readdirSync(workdir).filter((name) => !Object.hasOwn(plain, name))).toEqual(['clab.yml']);
});

/** A tree with entries that `git add` would not make. */
function rawTree(hostile: Repository, name: string, below?: string): string {
  const blob = hostile.git(['hash-object', '-w', '--stdin'], topology);
  const inner = hostile.git(['mktree', '-z'], `100644 blob ${blob}\t${below ?? 'file'}\0`);
  const object = Buffer.concat([Buffer.from(`40000 ${name}\0`), Buffer.from(inner, 'hex')]);
  return hostile.git(['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], object);
}

it.each([
  { name: '.git', below: 'config' },
  { name: '.GIT', below: 'hooks' },
  { name: '..', below: 'escaped' },
  { name: 'a\\b', below: 'file' },
  { name: 'a\u202eb', below: 'file' },
])(`a directory called $name refuses the whole${because}`, async ({ name, below }) => {
  const { made: hostile, url } = repository();
  hostile.commitTree(rawTree(hostile, name, below));
  expectProblem(await start(url), 422, 'archive-refused');
  await expectNothingLeft();
});

it(`paths that some system takes for one refuse the whole${because}`, async () => {
  const { made: hostile, url } = repository();
  hostile.commit({ 'topology.yml': topology, 'Readme/a': 'x', 'readme/b': 'y' });
  const refused = await start(url);
  expectProblem(refused, 422, 'archive-refused');
  expect(refused.json.detail).toMatch(/^source: the repository is refused: .*one path/);
  await expectNothingLeft();
});

it.each([
  { what: 'a file over the limit', files: { big: Buffer.alloc(150_000, 1) } },
  {
    what: 'files over the limit together',
    files: Object.fromEntries([...Array(15).keys()].map((n) => [`f${n}`, Buffer.alloc(90_000, n)])),
  },
  {
    what: 'too many files',
    files: Object.fromEntries([...Array(120).keys()].map((n) => [`f${n}`, String(n)])),
  },
])(`$what: refused${because}`, async ({ files }) => {
  const { made: hostile, url } = repository();
  hostile.commit(files);
  expectProblem(await start(url), 413, 'payload-too-large');
  await expectNothingLeft();
});

it(`ten objects that stand for ten thousand million files are refused${because}`, async () => {
  const { made: hostile, url } = repository();
  let below = `100644 blob ${hostile.git(['hash-object', '-w', '--stdin'], 'x')}`;
  for (let depth = 0; depth < 10; depth += 1) {
    const lines = [...Array(10).keys()].map((n) => `${below}\td${n}\0`).join('');
    below = `040000 tree ${hostile.git(['mktree', '-z'], lines)}`;
  }
  hostile.commitTree(below.split(' ').at(-1) ?? '');
  expectProblem(await start(url), 413, 'payload-too-large');
  await expectNothingLeft();
});

it(`a server that sends all files, and more than a workspace may have, is cut off${because}`, async () => {
  const place = path.join(root, 'without-filter');
  const old = await startGitServer(place, { allowFilter: false });
  const on = await startService({ env: { ...old.env, ...limits } });
  const { randomBytes } = await import('node:crypto');
  old.repository('big.git').commit({ 'topology.yml': topology, image: randomBytes(3_000_000) });
  old.repository('small.git').commit({ 'topology.yml': topology });
  const refused = await start(`${old.url}big.git`, { on });
  expectProblem(refused, 413, 'payload-too-large');
  expect(refused.json.detail).toContain('LAB_API_MAX_WORKSPACE_SIZE');
  await expectNothingLeft(on);
  expect((await start(`${old.url}small.git`, { on })).status).toBe(202);
});

it(`a redirect is not followed, to whatever host${because}`, async () => {
  const asked: string[] = [];
  const port = await listen(
    http.createServer((req, res) => {
      asked.push(String(req.url));
      res.end();
    }),
  );
  for (const status of [301, 302, 307, 308]) {
    server.answer = (req, res) => {
      res.writeHead(status, { Location: `http://127.0.0.1:${port}${req.url}` });
      res.end();
    };
    const refused = await start(`${server.url}moved`);
    expectProblem(refused, 502, 'source-failed');
    expect(refused.json.detail).toContain('redirects to another URL');
  }
  server.answer = undefined;
  expect(asked).toEqual([]);
  await expectNothingLeft();
});

it(`a server of plain files can name no other host${because}`, async () => {
  const asked: string[] = [];
  const port = await listen(
    http.createServer((req, res) => {
      asked.push(String(req.url));
      res.end();
    }),
  );
  server.answer = (req, res) => {
    if (req.url?.includes('info/refs')) res.end(`${'1'.repeat(40)}\trefs/heads/main\n`);
    else if (req.url?.includes('alternates')) res.end(`http://127.0.0.1:${port}/objects\n`);
    else if (req.url?.endsWith('/HEAD')) res.end('ref: refs/heads/main\n');
    else res.writeHead(404).end();
  };
  expectProblem(await start(`${server.url}dumb`), 502, 'source-failed');
  server.answer = undefined;
  expect(asked).toEqual([]);
  await expectNothingLeft();
});

it.each([
  { what: 'an empty answer', body: '' },
  { what: 'an answer that is no Git', body: '<html>welcome</html>' },
  { what: 'a sequence for terminals in an error', body: '0013ERR \u001b]0;x\u0007\u001b[2J' },
])(`$what: an error without control characters${because}`, async ({ body }) => {
  server.answer = (_req, res) => {
    res.setHeader('Content-Type', 'application/x-git-upload-pack-advertisement');
    res.end(body);
  };
  const refused = await start(`${server.url}odd`);
  server.answer = undefined;
  expectProblem(refused, 502, 'source-failed');
  // eslint-disable-next-line no-control-regex -- these must not be there
  expect(refused.json.detail).not.toMatch(/[\u0000-\u001f\u007f]/);
  await expectNothingLeft();
});

it(`an answer without end ends with the memory that git may have${because}`, async () => {
  server.answer = (_req, res) => {
    res.setHeader('Content-Type', 'application/x-git-upload-pack-advertisement');
    const piece = Buffer.alloc(4 * 1024 * 1024, 'a');
    const more = (): void => {
      while (!res.destroyed && res.write(piece));
    };
    res.on('drain', more);
    more();
  };
  const refused = await start(`${server.url}endless`);
  server.answer = undefined;
  expect(refused.status).toBeGreaterThanOrEqual(400);
  expect(['payload-too-large', 'source-failed']).toContain(refused.json.code);
  await expectNothingLeft();
});

it(`servers that do not answer take no more than half of the places for uploads${because}`, async () => {
  let asked = 0;
  server.answer = () => {
    asked += 1;
  };
  const leave = new AbortController();
  const ask = async (): Promise<Response | undefined> =>
    fetch(`${service.url}/jobs`, {
      method: 'POST',
      body: JSON.stringify({ action: 'create', source: { git: `${server.url}silent` } }),
      headers: { 'Content-Type': 'application/json' },
      signal: leave.signal,
    }).catch(() => undefined);
  const waiting = Array.from({ length: 8 }, ask);
  await eventually('git asks the server, 8 times', () => (asked === 8 ? true : undefined));
  const refused = await ask();
  expect(refused?.status).toBe(429);
  leave.abort();
  await Promise.all(waiting);
  const incoming = path.join(service.ground.dataDir, 'workspaces', '.lab-api', 'incoming');
  await eventually('nothing is left', () => (readdirSync(incoming).length === 0 ? true : undefined));
  server.answer = undefined;
  await expectNothingLeft();
});

it(`a client that goes away takes git with it${because}`, async () => {
  let isAsked = false;
  server.answer = () => {
    isAsked = true;
  };
  const leave = new AbortController();
  const body = JSON.stringify({ action: 'create', source: { git: `${server.url}silent` } });
  const asking = fetch(`${service.url}/jobs`, {
    method: 'POST',
    body,
    headers: { 'Content-Type': 'application/json' },
    signal: leave.signal,
  }).catch(() => undefined);
  await eventually('git asks the server', () => (isAsked ? true : undefined));
  const incoming = path.join(service.ground.dataDir, 'workspaces', '.lab-api', 'incoming');
  expect(readdirSync(incoming)).toHaveLength(1);
  leave.abort();
  await asking;
  await eventually('nothing is left', () => (readdirSync(incoming).length === 0 ? true : undefined));
  server.answer = undefined;
  await expectNothingLeft();
});
