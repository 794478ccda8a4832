/** `lab doctor` as people run it. */
import { describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { requirement } from '../support/requirements.ts';
import { builtProgram, makeGround, runProgram, startProgram, type Ground } from '../support/service.ts';

interface Seen {
  readonly code: number | null;
  readonly output: string;
}

async function doctor(
  ground: Ground,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Seen> {
  const run = runProgram(['doctor', ...args], { ...ground.env, ...env }, ground.root);
  return { code: await run.exit, output: run.output() };
}

interface Answer {
  readonly ok: boolean;
  readonly checks: readonly { name: string; result: string; detail: string; remedy?: string }[];
}
const parsed = ({ output }: Seen): Answer => JSON.parse(output) as Answer;
const named = (answer: Answer, name: string) => answer.checks.find((check) => check.name === name);

test('a machine that is well: a table without colours, exit 0', async () => {
  const { code, output } = await doctor(makeGround());
  expect({ code, output }).toMatchObject({ code: 0 });
  for (const name of [
    'lab CLI',
    'privileges',
    'kernel',
    'scenarios',
    'data directory',
    'free disk',
    'port',
    'TLS',
    'clock',
  ]) {
    expect(output).toMatch(new RegExp(`│ (ok|skipped|warning) +│ ${name} `));
  }
  expect(output).toMatch(/\n\d+ ok, \d+ warning, 0 failed, \d+ skipped\n$/);
  expect(output).not.toContain('\u001B');
});

test('the variables of a settings file count', async () => {
  const ground = makeGround();
  const file = path.join(ground.root, 'lab-api.env');
  writeFileSync(file, 'LAB_API_KEEP_DASY=3');
  const answer = parsed(await doctor(ground, ['--json'], { LAB_API_SETTINGS_FILE: file }));
  expect(named(answer, 'configuration')).toMatchObject({
    result: 'warning',
    remedy: 'did you mean LAB_API_KEEP_DAYS?',
  });
});

test('everything that is wrong at once, each with a remedy: exit 1', async () => {
  const ground = makeGround();
  const env = { LAB_API_CLI: '/no/netlab', LAB_API_TLS_CERT: '/no/cert', LAB_API_TLS_KEY: '/no/key' };
  writeFileSync(path.join(ground.root, 'data'), 'a file');
  const seen = await doctor(ground, ['--json', '--bind', '192.0.2.1'], env);
  const answer = parsed(seen);
  expect({ code: seen.code, ok: answer.ok }).toEqual({ code: 1, ok: false });
  for (const name of ['lab CLI', 'TLS', 'data directory', 'port']) {
    expect(named(answer, name)).toMatchObject({ result: 'failed', remedy: expect.stringMatching(/\w{4}/) });
  }
  const table = await doctor(ground, [], env);
  expect(table.code).toBe(1);
  expect(table.output).toMatch(
    /failed +│ lab CLI +│ there is no program "\/no\/netlab"[^→]*→ install it, correct LAB_API_CLI/,
  );
});

test('a warning is no failure', async () => {
  const seen = await doctor(makeGround(), ['--json'], { LAB_API_PROT: '1' });
  expect(seen.code).toBe(0);
  expect(named(parsed(seen), 'configuration')).toMatchObject({
    result: 'warning',
    detail: expect.stringContaining('LAB_API_PROT'),
  });
});

test('a wrong configuration is told like the start tells it', async () => {
  const seen = await doctor(makeGround(), ['--json', '--port', 'http']);
  expect(seen.code).toBe(1);
  expect(parsed(seen).checks).toEqual([
    {
      name: 'configuration',
      result: 'failed',
      detail: expect.stringMatching(/--port .*"http" is not a whole number from 0 to 65535/),
      remedy: expect.any(String),
    },
  ]);
});

test('beside the running service: its port and its directory are its own', async () => {
  const program = await startProgram();
  const { port } = new URL(program.url);
  const answer = parsed(await doctor(program.ground, ['--json', '--port', port]));
  const pid = String(program.run.child.pid);
  expect(named(answer, 'port')).toMatchObject({
    result: 'ok',
    detail: expect.stringContaining(`our own service, process id ${pid}`),
  });
  expect(named(answer, 'data directory')).toMatchObject({
    result: 'ok',
    detail: expect.stringContaining(`process id ${pid}`),
  });
  expect((await program.get('/readyz')).status).toBe(200);
});

describe('--settings', () => {
  test('a file of variables', async () => {
    const ground = makeGround();
    const file = path.join(ground.root, 'lab-api.env');
    writeFileSync(file, '# a comment\nLAB_API_CLI=/no/such\n');
    const answer = parsed(await doctor(ground, ['--json', '--settings', file]));
    expect(named(answer, 'lab CLI')).toMatchObject({
      result: 'failed',
      detail: expect.stringContaining('/no/such'),
    });
  });

  test('that is not there: exit 2', async () => {
    const { code, output } = await doctor(makeGround(), ['--settings', '/no/file']);
    expect({ code, output }).toEqual({
      code: 2,
      output: expect.stringMatching(/^lab doctor: --settings: there is no file [^\n]+\n$/),
    });
  });
});

const unshare = requirement('unshare');
const isRoot = process.getuid?.() === 0;
(isRoot && requirement('setpriv').missing === undefined ? test : test.skip)(
  'a settings file that this user may not read is no mistake in it (needs root and setpriv)',
  async () => {
    const ground = makeGround();
    const file = path.join(ground.root, 'lab-api.env');
    writeFileSync(file, 'LAB_API_KEEP_DAYS=3', { mode: 0o600 });
    const run = async (args: readonly string[], env: Record<string, string>): Promise<string> =>
      new Promise((resolve) => {
        const command = [
          '--reuid',
          '65534',
          '--clear-groups',
          process.execPath,
          builtProgram,
          'doctor',
          ...args,
        ];
        execFile('setpriv', command, { env, cwd: '/' }, (_error, stdout, stderr) => resolve(stdout + stderr));
      });
    expect(await run([], { LAB_API_SETTINGS_FILE: file })).toMatch(/EACCES[^]*as the user of the service/);
    expect(await run(['--settings', file], {})).toContain(`; sudo cat ${file} | lab doctor --settings -`);
  },
);
(isRoot && unshare.missing === undefined ? test : test.skip)(
  'a data directory that cannot be written, even by root (needs root and unshare)',
  async () => {
    const ground = makeGround();
    const readOnly = ground.makeWorkdir('read-only');
    const inside =
      'mount -t tmpfs -o ro lab-api-test "$1" && exec "$2" "$3" doctor --json --data-dir "$1/data"';
    const args = ['--mount', 'sh', '-c', inside, 'sh', readOnly, process.execPath, builtProgram];
    const output = await new Promise<string>((resolve) => {
      execFile(unshare.file, args, { env: ground.env }, (_error, stdout) => resolve(stdout));
    });
    expect(named(JSON.parse(output) as Answer, 'data directory')).toMatchObject({
      result: 'failed',
      detail: expect.stringMatching(/read-only cannot be written by root: EROFS/),
    });
  },
);

const programs = requirement('setpriv');
(isRoot && programs.missing === undefined ? test : test.skip)(
  'the engine without iproute2 and without rights (needs root and setpriv)',
  async () => {
    const ground = makeGround();
    const env = { ...ground.env, LAB_API_CLI: 'engine', PATH: '/nowhere' };
    // Without its capabilities root is an ordinary user.
    const args = [
      '--bounding-set=-all',
      '--inh-caps=-all',
      process.execPath,
      builtProgram,
      'doctor',
      '--json',
    ];
    const output = await new Promise<string>((resolve) => {
      execFile(programs.file, args, { env }, (_error, stdout) => resolve(stdout));
    });
    const answer = JSON.parse(output) as Answer;
    expect(named(answer, 'programs')).toMatchObject({
      result: 'failed',
      detail: 'not on PATH: ip, nsenter, unshare, flock',
    });
    expect(named(answer, 'privileges')).toMatchObject({
      result: 'failed',
      detail: expect.stringMatching(/^no CAP_NET_ADMIN and CAP_SYS_ADMIN, and no user namespaces: /),
    });
  },
);

const script = requirement('script');
(script.missing === undefined ? test : test.skip)(
  `colours on a terminal, and none with NO_COLOR (${script.missing ?? 'with script(1)'})`,
  async () => {
    const ground = makeGround();
    const onTerminal = async (env: Record<string, string>): Promise<string> =>
      new Promise((resolve) => {
        const command = `"${process.execPath}" "${builtProgram}" doctor --cli /no/netlab`;
        execFile(
          script.file,
          ['-qec', command, '/dev/null'],
          { env: { ...ground.env, TERM: 'xterm', ...env } },
          (_error, stdout) => resolve(stdout),
        );
      });
    expect(await onTerminal({})).toContain('\u001B[31mfailed');
    const plain = await onTerminal({ NO_COLOR: '1' });
    expect(plain).toContain('│ failed');
    expect(plain).not.toContain('\u001B');
  },
);
