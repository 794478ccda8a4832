import { beforeAll, describe, expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { answerOfState } from '../../src/labs/drivers/engine/engine-state.ts';
import { lab, leftovers, startLab } from '../support/engine-cli.ts';
import { handMadeLab, triangle } from '../support/engine-lab.ts';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { variants } from '../support/thorough.ts';

const { because, it, placed, prepared, root } = preparedLabs();
const variant = variants(it);

/** A lab that runs while these tests look into it. */
const running = prepared('look', { links: [...triangle, ['h1', 'alone-peer']] });

beforeAll(async () => {
  if (because === '') expect((await lab(running.where, ['up', '--snapshot'])).exitCode).toBe(0);
});

describe('status', () => {
  it(`shows what the kernel shows${because}`, async () => {
    const { where, instance } = prepared('seen', { links: [['h1', 'h2']] });
    await lab(where, ['up', '--snapshot']);
    const ask = ['status', '--instance', instance, '--format', 'json'];
    const status = async () => {
      const { stdout } = await lab(where, ask);
      const told = await answerOfState(ask, { env: { LAB_HOME: where.home }, isOtherUser: false });
      expect(told?.stdout.toString()).toBe(stdout);
      return JSON.parse(stdout);
    };
    expect(await status()).toMatchObject({
      dir: where.directory,
      providers: ['netns'],
      status: 'started',
      nodes: {
        h1: { status: 'Up', connection: 'netns', provider_name: `lab-${instance}-h1` },
        h2: { status: 'Up' },
      },
    });
    execFileSync('ip', ['netns', 'del', `lab-${instance}-h2`]);
    expect(await status()).toMatchObject({
      status: 'started',
      nodes: { h1: { status: 'Up' }, h2: { status: 'missing' } },
    });
    expect((await lab(where, ['status'])).stdout).toMatch(/│ h2 .* missing │/);
    expect((await lab(where, ['exec', 'h2', '--', 'true'])).stderr).toContain('the node h2 is missing');
    execFileSync('ip', ['netns', 'del', `lab-${instance}-h1`]);
    expect(await status()).toMatchObject({ status: 'missing' });
  });
});

describe('down', () => {
  it(`ends what runs inside, stubborn or not${because}`, async () => {
    const { where, instance } = prepared('busy', { links: [['h1', 'h2']] });
    await lab(where, ['up', '--snapshot']);
    const command = 'trap "" TERM; echo ready; while :; do sleep 1; done';
    const stubborn = startLab(where, ['exec', 'h1', '--', 'sh', '-c', command]);
    await new Promise((resolve) => stubborn.stdout!.once('data', resolve));
    const exit = new Promise((resolve) => stubborn.once('exit', resolve));
    const down = await lab(where, ['down']);
    expect(down).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/\d process(es)? inside ended/),
    });
    expect(await exit).toBe(137);
    expect(leftovers(where, instance)).toEqual([]);
  });

  it(`works from anywhere by instance, cleans up, and knows when there is no such lab${because}`, async () => {
    const { where, instance } = prepared('any', { links: [['h1', 'h2']] });
    await lab(where, ['up', '--snapshot']);
    const elsewhere = { ...where, directory: root };
    const dry = await lab(elsewhere, ['down', '--dry-run', '--instance', instance]);
    expect(dry.stdout).toContain(`netns del lab-${instance}-h1`);
    expect((await lab(elsewhere, ['down', '--cleanup', '--instance', instance])).exitCode).toBe(0);
    expect(leftovers(where, instance)).toEqual([]);
    expect(existsSync(path.join(where.directory, 'lab.snapshot.json'))).toBe(false);
    const unknown = await lab(elsewhere, ['down', '--instance', instance]);
    expect(unknown).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`Unknown lab instance ${instance}`),
    });
  });

  variant(`where no lab is says where labs are${because}`, async () => {
    const { where, instance } = prepared('away', { links: [['h1', 'h2']] });
    await lab(where, ['up', '--snapshot']);
    const empty = { ...where, directory: `${where.directory}-empty` };
    mkdirSync(empty.directory);
    const { exitCode, stdout } = await lab(empty, ['down']);
    expect([exitCode, stdout]).toEqual([0, expect.stringContaining(`${instance} in ${where.directory}`)]);
    expect((await lab(empty, ['down', '--instance', instance])).exitCode).toBe(0);
    expect((await lab(empty, ['down'])).stdout).not.toContain(`${instance} in`);
  });

  variant(
    `with --cleanup removes what collect wrote, but no "config" where no lab was${because}`,
    async () => {
      const { where } = prepared('clean', { links: [['h1', 'h2']] });
      await lab(where, ['up', '--snapshot']);
      await lab(where, ['collect']);
      expect((await lab(where, ['down'])).exitCode).toBe(0);
      expect(readdirSync(where.directory).toSorted()).toEqual(['config', 'lab.snapshot.json']);
      const later = await lab(where, ['down', '--cleanup']);
      expect(later.stdout).toMatch(
        /nothing to do\n(?:.*\n)+\.\.\. removing config\n\.\.\. removing lab\.snapshot\.json\n$/,
      );
      expect(readdirSync(where.directory)).toEqual([]);
      mkdirSync(path.join(where.directory, 'config'));
      expect((await lab(where, ['down', '--cleanup'])).exitCode).toBe(0);
      expect(readdirSync(where.directory)).toEqual(['config']);
    },
  );

  variant(`and a second up end a daemon inside that left its session and its parent${because}`, async () => {
    const { where, instance } = prepared('daemon', { links: [['h1', 'h2']] });
    const mark = `LAB_TEST_DAEMON=${instance}`;
    const ready = path.join(where.directory, 'ready');
    const daemon = ['setsid', '-f', 'sh', '-c', 'trap "" HUP; touch ready; exec sleep 1000'];
    await lab(where, ['up', '--snapshot']);
    for (const command of [['up', '--snapshot'], ['down']]) {
      // Not waited for: the daemon keeps the output of `lab exec` open.
      startLab(where, ['exec', 'h1', '--', 'env', mark, ...daemon]);
      await eventually('the daemon runs', () => existsSync(ready));
      await eventually('nothing but the daemon to be left', () => processesWith(mark).length === 1);
      expect((await lab(where, command)).exitCode).toBe(0);
      expect(processesWith(mark)).toEqual([]);
      rmSync(ready);
    }
    expect(leftovers(where, instance)).toEqual([]);
  });

  variant(`leaves a lab alone whose instance begins with the name of this one${because}`, async () => {
    const short = prepared('pre', { links: [['h1', 'h2']] });
    const instance = `${short.instance}1`;
    const where = placed(handMadeLab({ instance, links: [['h1', 'h2']] }));
    for (const place of [short.where, where]) {
      expect((await lab(place, ['up', '--snapshot'])).exitCode).toBe(0);
    }
    expect((await lab(short.where, ['down'])).exitCode).toBe(0);
    expect(leftovers(short.where, short.instance)).toEqual([]);
    expect((await lab(where, ['exec', 'h1', '--', 'ping', '-n', '-c1', '-W2', 'h2'])).exitCode).toBe(0);
  });

  it(`finds a lab whose state was lost${because}`, async () => {
    const { where, instance } = prepared('lost', { links: [['h1', 'h2']] });
    const lonely = { ...where, home: path.join(root, 'lonely') };
    await lab(lonely, ['up', '--snapshot']);
    execFileSync('rm', [path.join(lonely.home, 'status.json')]);
    expect(await lab(lonely, ['down'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('2 nodes removed'),
    });
    expect(leftovers(lonely, instance)).toEqual([]);
  });
});

describe('in a running lab, exec', () => {
  const { where } = running;

  it(`ends as its command ends${because}`, async () => {
    const code = async (...command: string[]) =>
      (await lab(where, ['exec', 'h1', '--', ...command])).exitCode;
    expect(await code('true')).toBe(0);
    expect(await code('sh', '-c', 'exit 7')).toBe(7);
    expect(await code('no-such-program')).toBe(127);
    expect(await code('sh', '-c', 'kill -KILL $$')).toBe(137);
    expect((await lab(where, ['exec', 'h9', '--', 'true'])).stderr).toContain(
      'no node h9 in the lab; its nodes are r1, r2, r3, h1, h2, h3, alone-peer',
    );
    expect((await lab(where, ['exec', 'h1', '--', 'printf', '%s|', 'a b', "c'd"])).stdout).toBe("a b|c'd|");
  });

  variant(`puts a command into its node alone${because}`, async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const connect = `require('node:net').connect(${port},'127.0.0.1').on('error',()=>process.exit(3))`;
    expect((await lab(where, ['exec', 'h1', '--', process.execPath, '-e', connect])).exitCode).toBe(3);
    server.close();
    expect(readFileSync('/etc/hosts', 'utf8')).not.toContain('alone-peer');
    expect((await lab(where, ['exec', 'h1', '--', 'ls', '/sys/class/net'])).stdout).toBe('eth1\neth2\nlo\n');
  });
});

describe('in a running lab, collect', () => {
  const { where } = running;

  it(`writes what people and programs read, and an archive${because}`, async () => {
    const { stdout, exitCode } = await lab(where, ['collect', '--tar', 'configs']);
    expect([exitCode, stdout]).toEqual([
      0,
      expect.stringContaining(`Created ${where.directory}/configs.tar.gz`),
    ]);
    const text = readFileSync(path.join(where.directory, 'config/r1.cfg'), 'utf8');
    expect(text).toMatch(/interface eth1\n {2}state up\n/);
    expect(text).toContain('route 10.100.2.0/24 via 10.100.1.2 dev eth1');
    expect(text).toContain('sysctl net.ipv4.ip_forward = 1');
    const document = JSON.parse(readFileSync(path.join(where.directory, 'config/h1.json'), 'utf8'));
    expect(document).toMatchObject({ node: 'h1', role: 'host', sysctls: { 'net.ipv4.ip_forward': '0' } });
    expect(
      execFileSync('tar', ['-tzf', 'configs.tar.gz'], { cwd: where.directory, encoding: 'utf8' }),
    ).toContain('config/h3.cfg');
    const other = await lab(where, [
      'collect',
      '-q',
      '--output',
      'o/p',
      '--suffix',
      'txt',
      '--tar',
      'x.tar',
      '--cleanup',
    ]);
    expect(other).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    expect(existsSync(path.join(where.directory, 'o/p'))).toBe(false);
    expect(execFileSync('tar', ['-tf', 'x.tar'], { cwd: where.directory, encoding: 'utf8' })).toContain(
      'p/h3.txt',
    );
  });

  it(`prints the configuration of one node, and writes nothing${because}`, async () => {
    const before = readdirSync(where.directory);
    const { stdout, exitCode } = await lab(where, ['collect', '--print', 'r1']);
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^! node r1, [^]*interface eth1\n/)]);
    expect(readdirSync(where.directory)).toEqual(before);
    expect(await lab(where, ['collect', '--print', 'r99'])).toMatchObject({
      exitCode: 1,
      stdout: '',
      stderr: expect.stringContaining('there is no node r99 in the lab'),
    });
    expect(await lab(where, ['collect', '--print', 'r1', '--output', 'printed'])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("'--print <node>' cannot be used with option '-o, --output"),
    });
  });

  variant(`removes nothing that it did not write${because}`, async () => {
    const inside = (name: string): string => path.join(where.directory, 'mine', name);
    mkdirSync(inside('sub'), { recursive: true });
    writeFileSync(inside('notes.txt'), 'mine');
    writeFileSync(inside('sub/more.txt'), 'mine');
    writeFileSync(inside('r1.cfg'), 'mine');
    const refused = await lab(where, ['collect', '--output', 'mine']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(`${inside('r1.cfg')} already exists and was not collected; move it`);
    expect(readdirSync(inside('.')).toSorted()).toEqual(['notes.txt', 'r1.cfg', 'sub']);
    rmSync(inside('r1.cfg'));
    expect(await lab(where, ['collect', '--output', 'mine', '--suffix', 'old'])).toMatchObject({
      exitCode: 0,
    });
    // A link in the place of a collected file is replaced, not followed.
    rmSync(inside('h1.json'));
    symlinkSync('notes.txt', inside('h1.json'));
    expect(await lab(where, ['collect', '--output', 'mine'])).toMatchObject({ exitCode: 0 });
    const collected = running.made.nodes.flatMap(({ name }) => [`${name}.cfg`, `${name}.json`]).toSorted();
    expect(
      readdirSync(inside('.'))
        .filter((name) => !name.startsWith('.'))
        .toSorted(),
    ).toEqual([...collected, 'notes.txt', 'sub'].toSorted());
    expect(readFileSync(inside('notes.txt'), 'utf8')).toBe('mine');
    await lab(where, ['collect', '--output', 'mine', '--tar', 'all', '--cleanup']);
    expect(readdirSync(inside('.')).toSorted()).toEqual(['notes.txt', 'sub']);
    const members = execFileSync('tar', ['-tzf', 'all.tar.gz'], { cwd: where.directory, encoding: 'utf8' });
    expect(members.trim().split('\n').toSorted()).toEqual(collected.map((name) => `mine/${name}`));
    expect(readdirSync(inside('sub'))).toEqual(['more.txt']);
  });

  variant(`goes with the lab when down cleans up, but for what people added${because}`, async () => {
    await lab(where, ['collect']);
    writeFileSync(path.join(where.directory, 'config/notes.txt'), 'mine');
    await lab(where, ['down', '--cleanup']);
    expect(readdirSync(path.join(where.directory, 'config'))).toEqual(['notes.txt']);
  });
});
