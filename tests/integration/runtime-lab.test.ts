/** netlab's containers as namespaces: what containerlab and docker do for netlab, with real namespaces and processes. */
import { describe, expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { containerLabs, ContainerLab, deploy, destroy } from '../support/container-lab.ts';
import { missingForLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import { testUnless } from '../support/requirements.ts';
import { isThorough } from '../support/thorough.ts';

const missing = missingForLabs() ?? (process.getuid?.() === 0 ? undefined : 'needs root');
const { because, it } = testUnless(missing);
const { root, labOf, keep } = containerLabs();

describe('a lab', () => {
  it(`has nodes with files, variables, names, links and processes of their own${because}`, async () => {
    const lab = labOf(['a', 'b'], {
      a: ", exec: ['ip addr add 10.9.0.1/24 dev r'], env: { COLOUR: \"it's blue\" }",
      b: ", exec: ['ip addr add 10.9.0.2/24 dev l', 'no-such-program'], binds: ['note:/etc/note:ro', 'note:/new/note']",
    });
    writeFileSync(path.join(lab.directory, 'note'), 'hello\n');
    expect(await lab.run('containerlab', ...deploy)).toMatchObject({ exitCode: 0, stderr: '' });
    const inside = async (node: string, ...words: string[]) =>
      lab.run('docker', 'exec', '-i', '-e', 'B=x y', lab.container(node), ...words);

    const script = 'echo "$COLOUR|$B|$HOME|$(hostname)|$$"; ls /root; cat /proc/1/comm';
    expect(await inside('a', 'sh', '-c', script)).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(/^it's blue\|x y\|\/root\|a\|\d{1,3}\nsh\n$/),
      stderr: '',
    });
    expect((await inside('a', 'ping', '-c1', '-W2', '10.9.0.2')).exitCode).toBe(0);
    expect((await inside('a', 'ping', '-c1', '-W2', '192.168.121.2')).exitCode).toBe(0);
    expect((await inside('b', 'sh', '-c', 'cat /etc/note; echo more >>/new/note')).stdout).toBe('hello\n');
    expect(readFileSync(path.join(lab.directory, 'note'), 'utf8')).toBe('hello\nmore\n');
    expect(await inside('b', 'sh', '-c', 'echo x >/etc/note')).toMatchObject({
      stderr: expect.stringMatching(/Read-only/),
    });
    await inside('b', 'sh', '-c', 'echo changed >/etc/hostname; exit 3').then(({ exitCode }) =>
      expect(exitCode).toBe(3),
    );
    expect(readFileSync('/etc/hostname', 'utf8')).not.toBe('changed\n');
    expect((await lab.run('docker', 'logs', lab.container('b'))).stdout).toContain(
      'failed: no-such-program\n',
    );

    const underscore = labOf(['a_1']);
    expect(await underscore.run('containerlab', ...deploy)).toMatchObject({ exitCode: 0, stderr: '' });
    const named = await underscore.run('docker', 'exec', underscore.container('a_1'), 'uname', '-n');
    expect(named.stdout).toBe('a_1\n');

    const list = await lab.run('docker', 'ps', '--format', '{{.Names}} {{.Label "clab-topo-file"}}');
    expect(list.stdout.split('\n')).toContain(`${lab.container('a')} ${lab.directory}/clab.yml`);
    process.kill(lab.pidOf('a'), 'SIGKILL');
    await eventually('the node has ended', async () => {
      const { stdout } = await lab.run(
        'docker',
        'inspect',
        '--format',
        '{{.State.Status}}',
        lab.container('a'),
      );
      return stdout === 'exited\n';
    });
    expect(await inside('a', 'true')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/ is not running\n$/),
    });
    expect(await lab.run('containerlab', ...destroy)).toMatchObject({ exitCode: 0, stderr: '' });
    expect(lab.leftovers()).toEqual([]);
    expect(await inside('a', 'true')).toMatchObject({
      exitCode: 1,
      stderr: `Error response from daemon: No such container: ${lab.container('a')}\n`,
    });
  });

  it(`that cannot start is undone, and says which node and why${because}`, async () => {
    const lab = labOf(['a', 'b'], { b: ", binds: ['clab.yml:/proc/sys/net/new']" });
    expect(await lab.run('containerlab', ...deploy)).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(
        /\nFatal error in lab containerlab: cannot start the node b: .*\/proc\/sys\/net\/new/,
      ),
    });
    expect(lab.leftovers()).toEqual([]);
  });

  it(`of another directory or another LAB_HOME is left alone${because}`, async () => {
    const lab = labOf(['a']);
    await lab.run('containerlab', ...deploy);
    const copy = path.join(root, 'elsewhere.yml');
    writeFileSync(copy, readFileSync(path.join(lab.directory, 'clab.yml')));
    for (const command of ['deploy', 'destroy'])
      expect(await lab.run('containerlab', command, '-t', copy)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`runs in ${lab.directory}: stop it there`),
      });
    const { home } = lab;
    lab.home = path.join(root, 'other-home');
    expect(await lab.run('containerlab', 'destroy')).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining(`set LAB_HOME=${home}`),
    });
    lab.home = home;
    expect((await lab.run('docker', 'exec', lab.container('a'), 'true')).exitCode).toBe(0);
    await lab.run('containerlab', ...destroy);
  });

  it(`spares a network namespace that has the name of a container${because}`, async () => {
    const lab = labOf(['a']);
    execFileSync('ip', ['netns', 'add', lab.container('a')]);
    try {
      expect(await lab.run('containerlab', ...deploy)).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`belong to another program: ${lab.container('a')}`),
      });
      await lab.run('containerlab', ...destroy);
      expect(lab.leftovers()).toEqual([lab.container('a')]);
    } finally {
      execFileSync('ip', ['netns', 'del', lab.container('a')]);
    }
  });
});

describe('a command that is killed', () => {
  it.each(['SIGTERM', 'SIGINT'] as const)(`by %s undoes what it made${because}`, async (signal) => {
    const lab = labOf(['a', 'b'], { b: ", exec: ['sleep 30']" });
    const child = lab.start(...deploy);
    const exit = new Promise((resolve) => child.once('exit', resolve));
    await eventually('the first node runs', () => lab.pidOf('a') > 0);
    child.kill(signal);
    expect(await exit).toBe(signal === 'SIGINT' ? 130 : 143);
    expect(lab.leftovers()).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)(
    `by %s at any instant leaves nothing that the next one does not remove${because}`,
    async (signal) => {
      const lab = labOf(['a', 'b', 'c', 'd']);
      const rounds = isThorough ? 50 : 6;
      for (let round = 0; round < rounds; round += 1) {
        const isDown = round % 3 === 2;
        if (isDown) await lab.run('containerlab', ...deploy);
        const child = lab.start(...(isDown ? destroy : deploy));
        const exit = new Promise((resolve) => child.once('exit', resolve));
        // Any instant means any: there is no event to wait for.
        await delay(Math.random() * (isDown ? 250 : 700));
        child.kill(signal);
        await exit;
        if (round % 2 === 1)
          expect(await lab.run('containerlab', ...deploy)).toMatchObject({ exitCode: 0, stderr: '' });
        expect(await lab.run('containerlab', ...destroy)).toMatchObject({ exitCode: 0, stderr: '' });
        await eventually('nothing is left', () => lab.leftovers().length === 0);
      }
    },
    300_000,
  );
});

it(`Docker and containerlab, where they are, get every command about other labs${because}`, async () => {
  const ground = path.join(root, 'with-docker');
  const lab = keep(new ContainerLab(ground, ['a']));
  expect(await lab.run('containerlab', ...deploy)).toMatchObject({ exitCode: 0 });
  const programs = { docker: 'echo "docker $*"', containerlab: 'echo "containerlab: $(docker ps --quiet)"' };
  for (const [name, script] of Object.entries(programs))
    writeFileSync(path.join(ground, 'programs', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  expect(await lab.run('docker', 'ps', '--size')).toMatchObject({
    exitCode: 0,
    stdout: 'docker ps --size\n',
  });
  const graph = await lab.run('containerlab', 'graph');
  expect(graph).toMatchObject({ exitCode: 0, stdout: 'containerlab: docker ps --quiet\n' });
  // It has containers of the lab, as the one that is not asked for.
  await lab.run('containerlab', ...destroy);
  expect(await lab.run('containerlab', ...destroy)).toMatchObject({
    stdout: 'containerlab: docker ps --quiet\n',
  });
  writeFileSync(path.join(ground, 'programs', 'docker'), '#!/bin/sh\nexit 1\n');
  expect(await lab.run('containerlab', ...destroy)).toMatchObject({
    exitCode: 0,
    stdout: 'Removed 0 nodes\n',
  });
});

describe('what netlab does not ask for', () => {
  it.each([
    ['docker', ['run', 'x'], /has no "run x"/],
    ['docker', ['ps', '--size'], /--size/],
    ['containerlab', ['graph'], /has no "graph"/],
    ['containerlab', ['deploy', '--fly'], /--fly/],
  ] as const)(`%s %j is refused in a sentence${because}`, async (program, args, why) => {
    const { exitCode, stderr } = await labOf(['a']).run(program, ...args);
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(why);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});
