/** The commands that speak to a service, as a person or a script types them. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { makePair, opensslMissing } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { requirement } from '../support/requirements.ts';
import {
  builtProgram,
  makeGround,
  runProgram,
  startProgram,
  startService,
  topologyThat,
  type RunningService,
} from '../support/service.ts';

const scriptMissing = requirement('script').missing;
const scriptBecause = scriptMissing === undefined ? '' : ` (skipped: ${scriptMissing})`;

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

const bare = { PATH: process.env['PATH'], HOME: '/nonexistent' };

function lab(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  return runProgram(args, { ...bare, LAB_API_URL: service.url, ...env });
}

async function ran(args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const run = lab(args, env);
  return { exitCode: await run.exit, output: run.output() };
}

function topologyFile(name: string, ...commands: readonly string[]): string {
  const file = path.join(service.ground.root, name);
  writeFileSync(file, topologyThat(...commands));
  return file;
}

describe('lab start', () => {
  test('--follow prints the log and ends with the exit code of the job', async () => {
    const good = topologyFile('good.yml', 'echo configured');
    const args = ['start', 'up', '--workdir', service.ground.workdir, '--follow', '--topology'];
    const { exitCode, output } = await ran([...args, good]);
    expect(exitCode).toBe(0);
    expect(output).toContain('configured\n');
    expect(output).toMatch(/^lab: job-\d+-[0-9a-f]{6}$/m);
    expect(output).toMatch(/^lab: job-\S+ success$/m);
    const elsewhere = ['start', 'up', '--workdir', service.ground.makeWorkdir('elsewhere')];
    const failed = await ran([...elsewhere, '-f', '--topology', topologyFile('bad.yml', 'exit 7')]);
    expect(failed.exitCode).toBe(7);
    expect(failed.output).toMatch(/^lab: job-\S+ failed: .*exit code 7/m);
  });

  test('--wait --output json gives the job as it ended', async () => {
    const topology = topologyFile('wait.yml');
    const run = await ran([
      'start',
      'create',
      '--workdir',
      service.ground.workdir,
      '--topology',
      topology,
      '--wait',
      '--output',
      'json',
      '--label',
      'build=7',
      '--set',
      'a.b=c=d',
      '--no-config',
      '--lab-output',
      'yaml',
    ]);
    // What this action does not take is said, and does not spoil the JSON on standard output.
    const [warning = '', ...json] = run.output.split('\n');
    expect(warning).toMatch(/^lab: .*noConfig/);
    expect(JSON.parse(json.join('\n'))).toMatchObject({
      state: 'success',
      labels: { build: '7' },
      request: { set: { 'a.b': 'c=d' }, noConfig: true, output: ['yaml'] },
    });
  });

  test('one key starts one job', async () => {
    const args = ['start', 'status', '--idempotency-key', 'nightly-7'];
    const first = await ran(args);
    expect(first).toMatchObject({ exitCode: 0 });
    expect(await ran(args)).toEqual(first);
  });

  test('takes a whole request from standard input, and options beat it', async () => {
    const body = JSON.stringify({ action: 'up', workdir: '/nonexistent', labels: { a: 'b' } });
    const file = path.join(service.ground.root, 'request.json');
    writeFileSync(file, body);
    const { output } = await ran(['start', 'down', '--json', file, '--workdir', service.ground.workdir]);
    expect(await service.job(output.trim())).toMatchObject({ action: 'down', labels: { a: 'b' } });
  });

  test('the request of --json may name the action; a duration may have a unit', async () => {
    const file = path.join(service.ground.root, 'status.json');
    writeFileSync(file, JSON.stringify({ action: 'status' }));
    const started = async (...args: readonly string[]) =>
      service.job((await ran(['start', '--json', file, ...args])).output.trim());
    expect(await started('--timeout', '4h')).toMatchObject({
      action: 'status',
      request: { timeoutSeconds: 14_400 },
    });
    expect(await started('--timeout-seconds', '90')).toMatchObject({ request: { timeoutSeconds: 90 } });
    writeFileSync(file, '[]');
    expect(await ran(['start', '--json', file])).toEqual({
      exitCode: 2,
      output: 'lab: --json: the request is no JSON object\n',
    });
  });

  test('--help says of every option what it does', async () => {
    const { output } = await ran(['start', '--help']);
    // A flag, its value, and nothing after that but the next flag.
    expect(output).not.toMatch(/^ +(-\w, )?--[\w-]+( <[^>]+>)?\n +-/m);
    expect(output).not.toMatch(/^ +--[\w-]+ <[^>]+> +may be repeated$/m);
  });

  test('Ctrl-C where nobody can be asked cancels the job as well', async () => {
    const topology = topologyFile('long.yml', 'wait_for ctrl-c');
    const run = lab(['start', 'up', '-f', '--workdir', service.ground.workdir, '--topology', topology]);
    await service.ground.waitsFor('ctrl-c');
    run.child.kill('SIGINT');
    expect(await run.exit).toBe(130);
    expect(run.output()).toMatch(/^lab: job-\S+ canceled/m);
  });

  (scriptMissing === undefined ? test : test.skip).each([
    ['y', 'canceled'],
    ['n', 'running'],
  ])(`Ctrl-C on a terminal asks; after "%s" the job is %s${scriptBecause}`, async (answer, state) => {
    const name = `ctrl-c-${answer}`;
    const topology = topologyFile(`${name}.yml`, `echo Loading; wait_for ${name}`);
    const workdir = service.ground.makeWorkdir(name);
    const command = [process.execPath, builtProgram, 'start', 'up', '-f', '--workdir', workdir];
    // script(1) gives it a terminal, where a byte 3 becomes SIGINT.
    const typed = [...command, '--topology', topology].join(' ');
    const child = spawn('script', ['-qefc', typed, '/dev/null'], {
      env: { ...bare, LAB_API_URL: service.url },
      stdio: 'pipe',
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exit = once(child, 'close');
    await service.ground.waitsFor(name);
    await eventually('the log to be shown', () => output.includes('Loading') || undefined);
    child.stdin.write('\u0003');
    await eventually('the question', () => output.includes('[y/N]') || undefined);
    child.stdin.write(`${answer}\r`);
    expect(await exit).toEqual([130, null]);
    const id = /job-\d+-[0-9a-f]{6}/.exec(output)?.[0] ?? '';
    expect(await service.job(id)).toMatchObject({ state });
  });

  test('says which field the service refuses', async () => {
    const { exitCode, output } = await ran(['start', 'up', '--on-conflict', 'never']);
    expect(exitCode).toBe(2);
    expect(output).toBe('lab: --on-conflict: must be one of queue, reject\n');
    const several = await ran([
      'start',
      'up',
      '--on-conflict',
      'never',
      '--on-failure',
      'x',
      '--lab-output',
      '-',
    ]);
    expect(several.output.split('\n')).toEqual([
      'lab: --on-conflict: must be one of queue, reject',
      'lab: --on-failure: must be one of keep, down',
      expect.stringMatching(/^lab: --lab-output: /),
      '',
    ]);
    const unknown = await ran(['start', 'build']);
    expect(unknown.output).toMatch(/^lab: action: unknown action "build": [^\n]+\n$/);
    const none = await ran(['start', 'up', '--workdir', service.ground.makeWorkdir('empty')]);
    expect(none.output).toMatch(/^lab: There is no topology: [^\n]+\n$/);
  });

  test.each([
    [['start', 'up', '--multilab-id', 'x'], '--multilab-id: "x" is not a number'],
    [['start', 'up', '--label', 'x'], '--label: "x" is not name=value'],
    [['start', 'up', '--topology', '/nonexistent/t.yml'], '--topology: ENOENT'],
    [['jobs', '--limit', '0'], '--limit: "0" is not a whole number over 0'],
    [['start', 'up', '--timeout', '4 hours'], '--timeout: "4 hours" is not a duration such as 90s, 5m or 4h'],
    [['start', '--follow'], 'give an ACTION: one of up, create,'],
    [['start', '--bogus', 'up'], '(lab start --help shows what there is)'],
    [['jobs', '--server', 'ftp://x'], '--server: "ftp://x" is not an http or https URL\n'],
    [
      ['jobs', '--server', '127.0.0.1:8090'],
      '--server: "127.0.0.1:8090" is not an http or https URL: write http://127.0.0.1:8090\n',
    ],
    [['jobs', '--server', 'localhost:8090'], ': write http://localhost:8090\n'],
    [['jobs', '--server', 'me:secret@x'], 'lab: --server: not an http or https URL\n'],
    [['jobs', '--server', 'http://me:secret@x'], 'must not hold a password'],
    [['jobs', '--user', 'ops'], 'there is no password of ops'],
    [['--server', 'http://x', 'up'], '"lab start up" asks a server'],
  ])('%j is refused before anything is sent', async (args, sentence) => {
    const { exitCode, output } = await ran(args);
    expect(exitCode).toBe(2);
    expect(output).toContain(sentence);
  });
});

describe('what is there', () => {
  test('lab jobs, lab job, lab logs and lab labs', async () => {
    const id = await service.start({ action: 'status', labels: { seen: 'once' } });
    const { logSize } = await service.ended(id);
    expect(logSize).toBeGreaterThan(0);
    const table = await ran(['jobs', '--label', 'seen=once', '--state', 'success', '--state', 'failed']);
    expect(table.output).toMatch(/^ID +ACTION +STATE +CREATED +TIME +LAB +WHAT$/m);
    expect(table.output).toContain(`${id}  status`);
    const { output } = await ran(['jobs', '--label', 'seen=once', '-o', 'json']);
    expect(JSON.parse(output)).toMatchObject([{ id }]);
    expect((await ran(['job', id])).output).toMatch(/^action +status$/m);
    expect((await ran(['logs', id])).output).toBe(await service.logText(id));
    expect(JSON.parse((await ran(['labs', '-o', 'json'])).output)).toEqual(
      (await service.get('/status')).json,
    );
    expect((await ran(['labs'])).output).toBe((await service.get('/status?output=text')).text);
    expect(await ran(['jobs', '--label', 'never=used'])).toEqual({ exitCode: 0, output: 'no jobs\n' });
  });

  test('lab jobs --workdir', async () => {
    const workdir = service.ground.makeWorkdir('only-here');
    const id = await service.start({ action: 'create', workdir, topology: topologyThat() });
    await service.ended(id);
    const { output } = await ran(['jobs', '--workdir', workdir, '-o', 'json']);
    expect(JSON.parse(output)).toMatchObject([{ id }]);
  });

  test('lab events, for people and for programs', async () => {
    const people = lab(['events', '--types', 'job,service']);
    const programs = lab(['events', '-o', 'json', '--types', 'job']);
    await programs.prints(/"ready"/);
    const id = await service.start({
      action: 'create',
      workdir: service.ground.workdir,
      topology: topologyThat('exit 7'),
    });
    await service.ended(id);
    await people.prints(new RegExp(`^20\\S+Z  ${id}  create  failed: .*exit code 7`, 'm'));
    await programs.prints(/"failed"/);
    for (const run of [people, programs]) {
      run.child.kill('SIGINT');
      await run.exit;
    }
    const news = programs
      .output()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(news).toContainEqual({
      kind: 'job',
      data: expect.objectContaining({
        change: 'state',
        job: expect.objectContaining({ id, state: 'failed' }),
      }),
    });
    expect(await ran(['events', '--types', 'x'])).toEqual({
      exitCode: 2,
      output: expect.stringMatching(/^lab: --types: must be [^\n]+\n$/),
    });
  });

  test('a path where no lab-api is points to that of --server', async () => {
    const { exitCode, output } = await ran(['jobs', '--server', `${service.url}/elsewhere`]);
    expect(exitCode).toBe(1);
    expect(output).toBe(
      'lab: there is nothing at /elsewhere/jobs; is the path of --server (or LAB_API_URL) the base path of lab-api?\n',
    );
  });

  test('lab retry, lab cancel and lab rm', async () => {
    const id = await service.start({ action: 'status' });
    await service.ended(id);
    const [again = ''] = (await ran(['retry', id])).output.split(' ');
    expect(await service.ended(again)).toMatchObject({ retryOf: id });
    const refused = await ran(['cancel', again]);
    expect(refused).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining('before it could be canceled'),
    });
    expect(await ran(['rm', id, again])).toEqual({
      exitCode: 0,
      output: `${id} removed\n${again} removed\n`,
    });
    expect(await ran(['job', id])).toEqual({ exitCode: 1, output: `lab: there is no job "${id}"\n` });
  });

  test('a terminal is not told what a lab CLI makes up, unless --raw asks for it', async () => {
    const id = await service.start({
      action: 'create',
      workdir: service.ground.workdir,
      topology: topologyThat("printf '\\033[31mred\\033[0m \\033]0;title\\007\\n'"),
    });
    await service.ended(id);
    expect((await ran(['logs', id])).output).toContain('red \n');
    expect((await ran(['logs', '--raw', id])).output).toContain(
      '\u001b[31mred\u001b[0m \u001b]0;title\u0007\n',
    );
    expect((await ran(['logs', '--follow', '--tail', '1', id])).output).not.toContain('\u001b');
  });
});

describe('a service that is away', () => {
  test('is exit code 69', async () => {
    const port = await freePort();
    const { exitCode, output } = await ran(['jobs', '--server', `http://127.0.0.1:${port}`]);
    expect(exitCode).toBe(69);
    expect(output).toMatch(/ECONNREFUSED .*; is lab-api there\? --server or LAB_API_URL says where it is\n$/);
  });

  test('for a moment: a log that is followed goes on where it was', async () => {
    const ground = makeGround();
    const env = { LAB_API_PORT: String(await freePort()) };
    const first = await startProgram({ ground, env });
    const id = await first.start({
      action: 'create',
      workdir: ground.workdir,
      topology: topologyThat('echo before', 'wait_for again', 'echo after'),
    });
    const run = lab(['logs', '-f', id], { LAB_API_URL: first.url });
    await run.prints(/before\n/);
    await first.end('SIGKILL');
    await run.prints(/trying again\n/);
    const second = await startProgram({ ground, env });
    ground.let('again');
    await second.ended(id);
    expect(await run.exit).toBe(0);
    const log = run.output().replace(/^lab: .*\n/gm, '');
    expect(log).toBe(await second.logText(id));
  });
});

describe('who asks', () => {
  const because = opensslMissing === undefined ? '' : ` (skipped: ${opensslMissing})`;
  (opensslMissing === undefined ? test : test.skip)(
    `over TLS, with a password in a file${because}`,
    async () => {
      const ground = makeGround();
      const pair = makePair(ground.root, 'localhost');
      const at = (name: string, content: string): string => {
        const file = path.join(ground.root, name);
        writeFileSync(file, content);
        return file;
      };
      const tls = { LAB_API_TLS_CERT: at('cert', pair.cert), LAB_API_TLS_KEY: at('key', pair.key) };
      const closed = await startService({
        ground,
        env: { ...tls, LAB_API_USER: 'ops', LAB_API_PASSWORD: 'geheim ü' },
        client: { tls: { rejectUnauthorized: false } },
      });
      const server = `https://localhost:${new URL(closed.url).port}`;
      const password = at('password', 'geheim ü\n');
      const user = ['--server', server, '--user', 'ops', '--password-file', password];
      expect(await ran([...user, 'jobs', '--cacert', tls.LAB_API_TLS_CERT])).toEqual({
        exitCode: 0,
        output: 'no jobs\n',
      });
      expect(await ran(['jobs', ...user, '--insecure'])).toEqual({ exitCode: 0, output: 'no jobs\n' });
      const untrusted = await ran(['jobs', ...user]);
      expect(untrusted).toMatchObject({ exitCode: 69, output: expect.stringMatching(/certificate/) });
      const stranger = await ran(['jobs', '--insecure', '--server', server]);
      expect(stranger).toMatchObject({ exitCode: 1, output: expect.stringMatching(/^lab: /) });
    },
  );
});

afterAll(async () => service.stop({ cancelJobs: true }));
