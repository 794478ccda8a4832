/** `lab start`, as a person or a script types it. */
import { describe, expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { bareShell, remoteLab } from '../support/remote-lab.ts';
import { requirement } from '../support/requirements.ts';
import { builtProgram } from '../support/service.ts';

const scriptMissing = requirement('script').missing;
const scriptBecause = scriptMissing === undefined ? '' : ` (skipped: ${scriptMissing})`;

const { service, lab, ran, topologyFile } = remoteLab();

describe('lab start', () => {
  test('--follow prints the log and ends with the exit code of the job', async () => {
    const good = topologyFile('good.yml', 'echo configured');
    const args = ['start', 'up', '--workdir', service().ground.workdir, '--follow', '--topology'];
    const { exitCode, output } = await ran([...args, good]);
    expect(exitCode).toBe(0);
    expect(output).toContain('configured\n');
    expect(output).toMatch(/^lab: job-\d+-[0-9a-f]{6}$/m);
    expect(output).toMatch(/^lab: job-\S+ success$/m);
    const elsewhere = ['start', 'up', '--workdir', service().ground.makeWorkdir('elsewhere')];
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
      service().ground.workdir,
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
    const file = path.join(service().ground.root, 'request.json');
    writeFileSync(file, body);
    const { output } = await ran(['start', 'down', '--json', file, '--workdir', service().ground.workdir]);
    expect(await service().job(output.trim())).toMatchObject({ action: 'down', labels: { a: 'b' } });
  });

  test('the request of --json may name the action; a duration may have a unit', async () => {
    const file = path.join(service().ground.root, 'status.json');
    writeFileSync(file, JSON.stringify({ action: 'status' }));
    const started = async (...args: readonly string[]) =>
      service().job((await ran(['start', '--json', file, ...args])).output.trim());
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
    expect(output.match(/^[A-Z].*:$/gm)).toEqual([
      'Arguments:',
      'Options:',
      'The place and the topology:',
      'The course of the job:',
      'The server:',
      'Options of the lab CLI:',
    ]);
    // A flag, its value, and nothing after that but the next flag.
    expect(output).not.toMatch(/^ +(-\w, )?--[\w-]+( <[^>]+>)?\n +-/m);
    expect(output).not.toMatch(/^ +--[\w-]+ <[^>]+> +may be repeated$/m);
  });

  test('Ctrl-C where nobody can be asked cancels the job as well', async () => {
    const topology = topologyFile('long.yml', 'wait_for ctrl-c');
    const run = lab(['start', 'up', '-f', '--workdir', service().ground.workdir, '--topology', topology]);
    await service().ground.waitsFor('ctrl-c');
    await run.prints(/^lab: job-/m);
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
    const workdir = service().ground.makeWorkdir(name);
    const command = [process.execPath, builtProgram, 'start', 'up', '-f', '--workdir', workdir];
    // script(1) gives it a terminal, where a byte 3 becomes SIGINT.
    const typed = [...command, '--topology', topology].join(' ');
    const child = spawn('script', ['-qefc', typed, '/dev/null'], {
      env: { ...bareShell, LAB_API_URL: service().url },
      stdio: 'pipe',
    });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const exit = once(child, 'close');
    await service().ground.waitsFor(name);
    await eventually('the log to be shown', () => output.includes('Loading') || undefined);
    child.stdin.write('\u0003');
    await eventually('the question', () => output.includes('[y/N]') || undefined);
    child.stdin.write(`${answer}\r`);
    expect(await exit).toEqual([130, null]);
    const id = /job-\d+-[0-9a-f]{6}/.exec(output)?.[0] ?? '';
    expect(await service().job(id)).toMatchObject({ state });
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
    const none = await ran(['start', 'up', '--workdir', service().ground.makeWorkdir('empty')]);
    expect(none.output).toMatch(
      /^lab: There is no topology: give --topology, --topology-url or --topology-path: \S+ has none of [^\n]+\n$/,
    );
  });

  test.each([
    [['start', 'up', '--multilab-id', 'x'], '--multilab-id: "x" is not a number'],
    [['start', 'up', '--label', 'x'], '--label: "x" is not name=value'],
    [
      ['start', 'up', '--topology', '/nonexistent/t.yml'],
      'lab: --topology: there is no file /nonexistent/t.yml\n',
    ],
    [['start', 'up', '--json', '/etc'], 'lab: --json: /etc is a directory\n'],
    [['jobs', '--password-file', '/etc/none'], 'lab: --password-file: there is no file /etc/none\n'],
    [['jobs', '--token-file', '/etc'], 'lab: --token-file: /etc is a directory\n'],
    [['scenario', 'run', '--instance', 'x', '/etc/none.yml'], 'lab: there is no file /etc/none.yml\n'],
    [['doctor', '--settings', '/etc/none'], 'lab doctor: --settings: there is no file /etc/none\n'],
    [['start', 'up', '--topology', '/dev/null'], '--topology: /dev/null is empty'],
    [
      ['fault', 'set', 'x', 'impaired', '1'],
      '"impaired" needs one or more of --delay, --jitter, --loss and --rate',
    ],
    [['fault', 'set', 'x', 'down', '1', '--loss', '1'], '--rate go with the kind "impaired" only'],
    [['push', '/etc/passwd', 'x'], 'lab: /etc/passwd is not a directory\n'],
    [['jobs', '--limit', '0'], '--limit: "0" is not a whole number over 0'],
    [['start', 'up', '--timeout', '4 hours'], '--timeout: "4 hours" is not a duration such as 90s, 5m or 4h'],
    [['start', '--follow'], 'give an ACTION: one of up, create,'],
    [['start', '--bogus', 'up'], '(lab start --help lists the options)'],
    [['jobs', '--server', 'ftp://x'], '--server: "ftp://x" is not an http or https URL\n'],
    [
      ['jobs', '--server', '127.0.0.1:8090'],
      '--server: "127.0.0.1:8090" is not an http or https URL: write http://127.0.0.1:8090\n',
    ],
    [['jobs', '--server', 'localhost:8090'], ': write http://localhost:8090\n'],
    [['jobs', '--server', 'me:secret@x'], 'lab: --server: not an http or https URL\n'],
    [['jobs', '--server', 'http://me:secret@x'], 'must not contain a password'],
    [['jobs', '--user', 'ops'], 'there is no password for ops'],
    [['--server', 'http://x', 'up'], '"lab start up" works on a server'],
  ])('%j is refused before anything is sent', async (args, sentence) => {
    const { exitCode, output } = await ran(args);
    expect(exitCode).toBe(2);
    expect(output).toContain(sentence);
  });
});
