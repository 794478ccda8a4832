/** The commands that look at a service and at its jobs, as a person or a script types them. */
import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { makePair, opensslMissing } from '../support/certificates.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { fixtureProgram } from '../support/programs.ts';
import { remoteLab } from '../support/remote-lab.ts';
import { scraped } from '../support/scraped.ts';
import { makeGround, runProgram, startProgram, startService, topologyThat } from '../support/service.ts';

const { service, lab, ran } = remoteLab();

describe('what is there', () => {
  test('lab labs of a server with several lab CLIs shows the labs of all', async () => {
    const clis = [fixtureProgram('fake-netlab'), fixtureProgram('fake-clab/containerlab')];
    const ground = makeGround();
    const several = await startProgram({
      ground,
      env: { LAB_API_CLI: undefined, LAB_API_CLIS: clis.join(','), FAKE_LAB_LOGS: '1' },
    });
    const own = { PATH: process.env['PATH'], LAB_API_URL: several.url };
    const printed = async (...args: readonly string[]) => {
      const run = runProgram(['labs', ...args], own);
      expect(await run.exit).toBe(0);
      return run.output();
    };
    const clabDirectory = ground.makeWorkdir('clab');
    writeFileSync(path.join(clabDirectory, 'one.clab.yml'), 'name: one\ntopology: { nodes: { h1: {} } }\n');
    const up = { action: 'up', workdir: clabDirectory, topologyPath: 'one.clab.yml' };
    expect(await several.ended(await several.start(up))).toMatchObject({ state: 'success' });
    expect(await printed()).toMatch(/^LAB +NAME +STATE +NODES +OWNER +ENDS +WHERE\none +one +started +1 /);
    const ofNetlab = topologyThat(': >netlab.snapshot.pickle', 'echo x >clab.yml');
    const other = { action: 'up', workdir: ground.workdir, topology: ofNetlab };
    expect(await several.ended(await several.start(other))).toMatchObject({ state: 'success' });
    expect(await printed()).toMatch(
      /^LAB +NAME +CLI +STATE.*\ndefault +\S+ +netlab .*\none +one +containerlab /,
    );
    const { labs } = JSON.parse(await printed('-o', 'json')) as { labs: { id: string; cli: string }[] };
    expect(labs.map(({ id, cli }) => `${cli}: ${id}`)).toEqual(['netlab: default', 'containerlab: one']);
  });

  test('lab jobs, lab job, lab logs and lab labs', async () => {
    const id = await service().start({ action: 'status', labels: { seen: 'once' } });
    const { logSize } = await service().ended(id);
    expect(logSize).toBeGreaterThan(0);
    const table = await ran(['jobs', '--label', 'seen=once', '--state', 'success', '--state', 'failed']);
    expect(table.output).toMatch(/^ID +ACTION +STATE +CREATED +TIME +LAB +WHAT$/m);
    expect(table.output).toContain(`${id}  status`);
    const { output } = await ran(['jobs', '--label', 'seen=once', '-o', 'json']);
    expect(JSON.parse(output)).toMatchObject([{ id }]);
    expect((await ran(['job', id])).output).toMatch(/^action +status$/m);
    expect((await ran(['logs', id])).output).toBe(await service().logText(id));
    expect(JSON.parse((await ran(['labs', '-o', 'json'])).output)).toEqual(
      (await service().get('/labs')).json,
    );
    expect((await ran(['labs'])).output).toBe('no labs\n');
    const { workdir } = service().ground;
    const up = await service().start({ action: 'up', workdir, topology: topologyThat() });
    await service().ended(up);
    await service().ended(await service().start({ action: 'down', workdir }));
    expect((await ran(['labs', '--all'])).output).toMatch(
      new RegExp(`^LAB +OWNER +STOPPED.*\ndefault +\\d+s ago +${workdir} +lab retry ${up}\n$`),
    );
    expect(await ran(['jobs', '--label', 'never=used'])).toEqual({ exitCode: 0, output: 'no jobs\n' });
    expect((await ran(['jobs', '--limit', '1'])).output).toContain('--limit shows more than the newest 1');
  });

  test('lab events, for people and for programs', async () => {
    const people = lab(['events', '--types', 'job,service']);
    const programs = lab(['events', '-o', 'json', '--types', 'job']);
    await programs.prints(/"ready"/);
    const followers = async () => scraped(service(), 'lab_api_stream_clients', { kind: 'events' });
    await eventually('both follow the events', async () => (await followers()) === 2);
    const id = await service().start({
      action: 'create',
      workdir: service().ground.workdir,
      topology: topologyThat('exit 7'),
    });
    await service().ended(id);
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
    const { exitCode, output } = await ran(['jobs', '--server', `${service().url}/elsewhere`]);
    expect(exitCode).toBe(1);
    expect(output).toBe(
      'lab: there is nothing at /elsewhere/jobs; is the path of --server (or LAB_API_URL) the base path of lab-api?\n',
    );
  });

  test('lab retry, lab cancel and lab rm', async () => {
    const id = await service().start({ action: 'status' });
    await service().ended(id);
    const [again = ''] = (await ran(['retry', id])).output.split(' ');
    expect(await service().ended(again)).toMatchObject({ retryOf: id });
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

  test('lab cancel --force kills at once what ignores signals', async () => {
    const slow = await startService({ env: { LAB_API_CANCEL_GRACE: '10m' } });
    const topology = topologyThat("trap '' INT TERM; wait_for never");
    const id = await slow.start({ action: 'create', workdir: slow.ground.workdir, topology });
    await slow.ground.waitsFor('never');
    const { exitCode, output } = await ran(['cancel', '--force', id, '--server', slow.url]);
    expect({ exitCode, output }).toMatchObject({ exitCode: 0, output: expect.stringMatching(/ canceled/) });
  });

  test('lab rm removes the ended jobs that match its filters, and --dry-run only lists them', async () => {
    const jobOf = async (topology: string, labels = { sweep: '' }): Promise<string> => {
      const { workdir } = service().ground;
      const id = await service().start({ action: 'create', workdir, topology, labels });
      await service().ended(id);
      return id;
    };
    const [kept, failed, second] = [
      await jobOf(topologyThat()),
      await jobOf(topologyThat('exit 7')),
      await jobOf(topologyThat('exit 8')),
    ];
    const sweep = ['rm', '--label', 'sweep', '--state', 'failed'];
    expect(await ran([...sweep, '--before', '1h'])).toEqual({ exitCode: 0, output: 'no jobs match\n' });
    const one = [...sweep, '--before', (await service().job(second)).createdAt];
    expect((await ran([...one, '--dry-run'])).output).toMatch(
      new RegExp(`^ID .*\n${failed} +create +failed .*\n$`),
    );
    expect(JSON.parse((await ran([...one, '--dry-run', '-o', 'json'])).output)).toMatchObject([
      { id: failed },
    ]);
    expect(await ran(one)).toEqual({ exitCode: 0, output: `${failed} removed\n` });
    const rest = await ran(['rm', '--label', 'sweep', '-o', 'json']);
    expect(JSON.parse(rest.output)).toEqual({ removed: [second, kept] });

    const [running, ended] = [
      await service().start({
        action: 'create',
        workdir: service().ground.makeWorkdir('busy'),
        topology: topologyThat('wait_for go'),
      }),
      await jobOf(topologyThat()),
    ];
    await service().ground.waitsFor('go');
    // A refusal does not keep the others.
    expect(await ran(['rm', running, ended])).toEqual({
      exitCode: 1,
      output: expect.stringMatching(new RegExp(`^lab: ${running}: .*ended\n${ended} removed\n$`)),
    });
    service().ground.let('go');
    await service().ended(running);
  });

  test.each([
    [[], 'give either the ids of jobs or filters, such as --state failed --before 30d'],
    [
      ['job-1', '--before', '30d'],
      'give either the ids of jobs or filters, such as --state failed --before 30d',
    ],
    [
      ['--state', 'running'],
      '--state: must be one of success, failed, canceled: other jobs cannot be removed',
    ],
    [['--requested-by', ''], '--requested-by: must be the name of a user'],
    [['--before', 'yesterday'], expect.stringMatching(/^lab: --until: must be a time /)],
  ])('lab rm %j is a mistake', async (args, message) => {
    const output = typeof message === 'string' ? `lab: ${message}\n` : message;
    expect(await ran(['rm', ...args])).toEqual({ exitCode: 2, output });
  });

  test('a terminal is not told what a lab CLI makes up, unless --raw asks for it', async () => {
    const id = await service().start({
      action: 'create',
      workdir: service().ground.workdir,
      topology: topologyThat("printf '\\033[31mred\\033[0m \\033]0;title\\007\\n'"),
    });
    await service().ended(id);
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
    expect(output).toMatch(
      /ECONNREFUSED .*; is lab-api running there\? Set its URL with --server or LAB_API_URL\n$/,
    );
  });

  test('is said after some seconds by commands that would wait for it, too', async () => {
    const LAB_API_URL = `http://127.0.0.1:${await freePort()}`;
    const runs = await Promise.all([
      ran(['start', 'status', '--wait'], { LAB_API_URL }),
      ran(['scenario', 'run', '-i', '1', '--each', 'link', '--flow', 'h1:h2'], { LAB_API_URL }),
      ran(['job', 'job-1-000000', '--wait'], { LAB_API_URL }),
    ]);
    for (const { exitCode, output } of runs) {
      expect(exitCode).toBe(69);
      expect(output).toMatch(/ECONNREFUSED .*; is lab-api running there\? Set its URL .* LAB_API_URL\n$/);
      expect(output).toContain(`${LAB_API_URL}: `);
    }
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
