/** The built program as people type it. */
import { describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { insides } from '../support/problem.ts';
import { fixtureProgram } from '../support/programs.ts';
import { requirement } from '../support/requirements.ts';
import { builtProgram, makeGround, runProgram } from '../support/service.ts';

const ground = makeGround();

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

async function lab(args: readonly string[], env: Record<string, string | undefined> = {}): Promise<Ended> {
  const run = runProgram(args, { ...ground.env, ...env }, ground.root);
  const code = await run.exit;
  expect(run.output()).not.toMatch(insides);
  return { code, output: run.output() };
}

test('lab --version is the version of package.json', async () => {
  const { version } = JSON.parse(readFileSync(path.resolve(__dirname, '../../package.json'), 'utf8')) as {
    version: string;
  };
  expect(await lab(['--version'])).toEqual({ code: 0, output: `${version}\n` });
});

test('a Node that is too old for the modules is named', async () => {
  const oldUtil = 'data:text/javascript,export const inspect = 1';
  const hook = `export const resolve = (name, context, next) =>
    name === 'node:util' ? { url: '${oldUtil}', shortCircuit: true } : next(name, context);`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(`data:text/javascript,${encodeURIComponent(hook)}`)});`;
  const NODE_OPTIONS = `--import="data:text/javascript,${encodeURIComponent(register)}"`;
  expect(await lab(['--help'], { NODE_OPTIONS })).toEqual({
    code: 1,
    output: `lab: Node.js ${process.version} is too old: install version 20.19 or newer\n`,
  });
});

test.each([['--help'], ['-h'], ['help']])('lab %s lists every command', async (flag) => {
  const { code, output } = await lab([flag]);
  expect(code).toBe(0);
  for (const command of ['api', 'up', 'create', 'down', 'collect', 'status']) {
    expect(output).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
  }
});

test.each([
  ['an unknown command', ['fly']],
  ['an unknown option', ['--fly']],
  ['an unknown option of api', ['api', '--fly']],
  ['a flag without its value', ['api', '--port']],
  ['a bad value of --on-shutdown', ['api', '--on-shutdown', 'explode']],
  ['an argument that api does not have', ['api', 'now']],
  ['no command', []],
])('%s: exit 2 and what there is', async (_what, args) => {
  const { code, output } = await lab(args);
  expect(code).toBe(2);
  expect(output).toMatch(/lab/);
});

test.each([
  [['fly'], '(lab --help lists the commands)'],
  [['help', 'fly'], '(lab --help lists the commands)'],
  [['fault', 'fly'], '(lab fault --help lists the commands)'],
  [['api', '--fly'], '(lab api --help lists the options)'],
  [['completion'], '(lab completion --help lists the options)'],
  [['fault', 'set', '--fly'], '(lab fault set --help lists the options)'],
  [['user', 'add'], '(lab user add --help lists the options)'],
])('%j: exit 2, and where to look', async (args, hint) => {
  const { code, output } = await lab(args);
  expect(code).toBe(2);
  expect(output.trimEnd().split('\n')).toHaveLength(2);
  expect(output).toContain(hint);
});

describe('a configuration that is wrong: one line for each problem, exit 2', () => {
  test.each<{ name: string; args: string[]; env: Record<string, string>; patterns: RegExp[] }>([
    {
      name: 'a certificate that is not there',
      args: ['--tls-cert', '/no/cert', '--tls-key', '/no/key'],
      env: {},
      patterns: [
        /^lab api: --tls-cert \(LAB_API_TLS_CERT\), --tls-key \(LAB_API_TLS_KEY\): not usable: the certificate: ENOENT.*\/no\/cert/,
      ],
    },
    {
      name: 'a lab CLI that is not there',
      args: ['--cli', '/no/netlab'],
      env: {},
      patterns: [/^lab api: --cli \(LAB_API_CLI\): .*"\/no\/netlab"/],
    },
    {
      name: 'three at a time',
      args: ['--port', '-1'],
      env: { LAB_API_STATUS_OUTPUT: 'xml', LAB_API_JOB_TIMEOUT: 'soon' },
      patterns: [/--port/, /LAB_API_STATUS_OUTPUT/, /LAB_API_JOB_TIMEOUT/],
    },
  ])('$name', async ({ args, env, patterns }) => {
    const { code, output } = await lab(['api', ...args], env);
    const lines = output.trimEnd().split('\n');
    expect({ code, lines: lines.length, output }).toEqual({ code: 2, lines: patterns.length, output });
    for (const pattern of patterns) expect(lines.some((line) => pattern.test(line))).toBe(true);
  });

  test('never shows a password', async () => {
    const { output } = await lab(['api', '--auth-password', 'hunter2']);
    expect(output).toMatch(/--auth-password \(LAB_API_PASSWORD\) is set/);
    expect(output).not.toContain('hunter2');
  });
});

describe('hand-over to the lab CLI', () => {
  const env = { LAB_API_CLI: fixtureProgram('print-arguments') };

  test.each(['up', 'create', 'down', 'collect', 'status'])(
    'lab %s gives every argument on untouched',
    async (action) => {
      const args = [
        '--help',
        '-v',
        'two words',
        '',
        '--set',
        'a=$b',
        '--',
        '--version',
        '-h',
        '*',
        '--port=1',
      ];
      const { code, output } = await lab([action, ...args], env);
      expect({ code, output }).toEqual({ code: 0, output: `[${[action, ...args].join('][')}]\n` });
    },
  );

  test('a -- comes along wherever it stands', async () => {
    expect((await lab(['up', '--', 'x'], env)).output).toBe('[up][--][x]\n');
    expect((await lab(['up', 'x', '--'], env)).output).toBe('[up][x][--]\n');
    expect((await lab(['up', 'up', '--', 'up'], env)).output).toBe('[up][up][--][up]\n');
  });

  test.each([
    [{ EXIT_WITH: '0' }, 0],
    [{ EXIT_WITH: '1' }, 1],
    [{ EXIT_WITH: '2' }, 2],
    [{ EXIT_WITH: '42' }, 42],
    [{ END_BY: 'TERM' }, 143],
    [{ END_BY: 'KILL' }, 137],
  ])('%j ends with the same code: %i', async (how, code) => {
    expect((await lab(['status'], { ...env, ...how })).code).toBe(code);
  });

  test('has the same help before its name as behind it', async () => {
    const ofEngine = { LAB_API_CLI: 'engine' };
    const behind = await lab(['up', '--help'], ofEngine);
    expect(behind).toMatchObject({ code: 0, output: expect.stringContaining('--snapshot') });
    expect(await lab(['help', 'up'], ofEngine)).toEqual(behind);
    expect(await lab(['help', 'api'])).toEqual(await lab(['api', '--help']));
    expect(await lab(['help'])).toEqual(await lab(['--help']));
  });

  test('without netlab goes to the bundled engine', async () => {
    const up = await lab(['up', 'nowhere.yml'], {
      LAB_API_CLI: 'auto',
      PATH: ground.root,
      LAB_HOME: ground.root,
    });
    expect(up).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^Fatal error in lab.*nowhere\.yml/m),
    });
  });

  test('without the chosen lab CLI says what to do', async () => {
    expect(await lab(['up'], { LAB_API_CLI: '/no/netlab' })).toEqual({
      code: 127,
      output:
        'lab up: "/no/netlab" is not on this machine, or cannot be executed: install it, or name another lab CLI in LAB_API_CLI or LAB_API_CLIS\n',
    });
  });

  const { missing, file: script } = requirement('script');
  const because = missing === undefined ? '' : ` (skipped: ${missing})`;
  (missing === undefined ? test : test.skip)(`the lab CLI has the terminal${because}`, async () => {
    const command = `'${process.execPath}' '${builtProgram}' up x`;
    const output = await new Promise<string>((resolve, reject) => {
      const child = execFile(
        script,
        ['-qec', command, '/dev/null'],
        { env: { ...ground.env, ...env, COLUMNS: '123', EXIT_WITH: '7' } },
        (error, stdout) => (child.exitCode === 7 ? resolve(stdout) : reject(error ?? new Error(stdout))),
      );
    });
    expect(output.trim()).toBe('[up][x] terminal of 123 columns');
  });
});
