import { describe, expect } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { lab, leftovers, startLab, uniqueInstance, unreachable } from '../support/engine-cli.ts';
import { handMadeLab, line } from '../support/engine-lab.ts';
import { preparedLabs } from '../support/prepared-labs.ts';

const { because, it, placed, prepared, root, takeDownLater } = preparedLabs();
const { instance, where } = prepared('crash', { links: line(60) });

const rounds = 6;

const exitOf = (child: ReturnType<typeof startLab>): Promise<number | null> =>
  new Promise((resolve) => child.once('exit', resolve));

describe('an up that fails half-way', () => {
  it(`leaves nothing, and says why${because}`, async () => {
    const broken = uniqueInstance('broken');
    const good = handMadeLab({
      instance: broken,
      links: [
        ['h1', 'r1'],
        ['r1', 'h2'],
      ],
    });
    const routes = [{ to: '10.9.0.0/24', via: '192.0.2.1' }];
    const nodes = good.nodes.map((node) => (node.name === 'h2' ? { ...node, routes } : node));
    const there = placed({ ...good, nodes });
    const up = await lab(there, ['up', '--snapshot']);
    expect(up.exitCode).toBe(1);
    expect(up.stderr).toContain(`cannot configure lab-${broken}-h2\n`);
    expect(up.stderr).toContain('Command failed: ip route add 10.9.0.0/24 via 192.0.2.1\n');
    expect(up.stderr).toMatch(/\nFatal error in lab up: cannot configure the nodes of the lab\n$/);
    expect(leftovers(there, broken)).toEqual([]);
  });

  it(`spares namespaces that are not its own${because}`, async () => {
    const { instance: clash, where: there } = prepared('clash', { links: [['h1', 'h2']] });
    execFileSync('ip', ['netns', 'add', `lab-${clash}-h2`]);
    execFileSync('ip', ['netns', 'add', `lab-${clash}-foreign`]);
    try {
      const up = await lab(there, ['up', '--snapshot']);
      expect(up).toMatchObject({
        exitCode: 1,
        stderr: expect.stringContaining(`belong to another program: lab-${clash}-h2`),
      });
      expect((await lab(there, ['down', '--force'])).exitCode).toBe(0);
      expect(leftovers(there, clash).toSorted()).toEqual([`lab-${clash}-foreign`, `lab-${clash}-h2`]);
      execFileSync('ip', ['netns', 'del', `lab-${clash}-h2`]);
      expect((await lab(there, ['up', '--snapshot'])).exitCode).toBe(0);
      expect((await lab(there, ['down'])).exitCode).toBe(0);
      expect(leftovers(there, clash)).toEqual([`lab-${clash}-foreign`]);
    } finally {
      execFileSync('ip', ['netns', 'del', `lab-${clash}-foreign`]);
    }
  });

  it(`respects a lab of the same instance with its state elsewhere${because}`, async () => {
    const { instance: shared, where: mine } = prepared('shared', { links: [['h1', 'h2']] });
    const theirs = { ...mine, home: `${root}/their-home` };
    takeDownLater({ where: theirs, instance: shared });
    expect((await lab(theirs, ['up', '--snapshot'])).exitCode).toBe(0);
    const refused = await lab(mine, ['up', '--snapshot']);
    expect(refused.stderr).toContain(`its state is in ${theirs.home}`);
    expect(await lab(mine, ['down'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('nothing to do'),
    });
    expect(await unreachable(theirs, ['h1', 'h2'])).toEqual([]);
    expect((await lab(theirs, ['down'])).exitCode).toBe(0);
  });
});

describe('an up that is interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(`by %s undoes what it made, and ends with %i${because}`, async (signal, exitCode) => {
    const child = startLab(where, ['up', '--snapshot']);
    child.stdout!.once('data', () => {
      child.kill(signal);
      child.kill(signal);
    });
    expect(await exitOf(child)).toBe(exitCode);
    expect(leftovers(where, instance)).toEqual([]);
  });
});

describe('SIGKILL', () => {
  it(`in the middle of a write leaves a temporary file that the next down removes${because}`, async () => {
    const { instance: torn, where: place } = prepared(
      'torn',
      { links: [['h1', 'h2']] },
      path.join(root, 'torn-home'),
    );
    mkdirSync(path.join(place.home, 'labs'), { recursive: true });
    const files = {
      state: path.join(place.home, 'status.json.1234567890'),
      record: path.join(place.home, 'labs', `${torn}.json.1234567890`),
      snapshot: path.join(place.directory, 'lab.snapshot.json.1234567890'),
    };
    const left = (): string[] => Object.values(files).filter((file) => existsSync(file));

    writeFileSync(files.state, '{');
    expect(await lab(place, ['down', '--dry-run'])).toMatchObject({ exitCode: 0 });
    expect(left()).toEqual([files.state]);
    expect(await lab(place, ['down'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(left()).toEqual([]);

    for (const file of Object.values(files)) writeFileSync(file, '{');
    expect(await lab(place, ['up', '--snapshot'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(left()).not.toContain(files.state);
    expect(await lab(place, ['down', '--cleanup'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(left()).toEqual([]);
    expect(readdirSync(place.directory)).toEqual([]);
  });

  it(`at any instant of up or down leaves nothing that the next down does not remove${because}`, async () => {
    let interrupted = 0;
    for (let round = 0; round < rounds; round += 1) {
      const isDown = round % 3 === 2;
      if (isDown) await lab(where, ['up', '--snapshot']);
      const child = startLab(where, isDown ? ['down'] : ['up', '--snapshot']);
      const exit = exitOf(child);
      // Any instant means any: there is no event to wait for.
      await delay(Math.random() * (isDown ? 200 : 600));
      child.kill('SIGKILL');
      if ((await exit) === null) interrupted += 1;
      if (round % 2 === 1) expect((await lab(where, ['up', '--snapshot', '-q'])).stderr).toBe('');
      const down = await lab(where, ['down']);
      expect(down).toMatchObject({ exitCode: 0, stderr: '' });
      expect(leftovers(where, instance)).toEqual([]);
    }
    expect(interrupted).toBeGreaterThan(rounds / 5);
    expect(readdirSync(where.home).toSorted()).toEqual(['labs', 'locks', 'status.json', 'status.lock']);
    expect(
      existsSync('/run/lab-engine')
        ? execFileSync('ls', ['-A', '/run/lab-engine'], { encoding: 'utf8' })
        : '',
    ).not.toContain(instance);
  }, 180_000);
});
