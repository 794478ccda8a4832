/** The engine under hostile conditions: links in the way, wrong names, a full disk, damaged state. */
import { describe, expect } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lab, leftovers, startLab } from '../support/engine-cli.ts';
import { handMadeLab } from '../support/engine-lab.ts';
import { eventually } from '../support/eventually.ts';
import { preparedLabs } from '../support/prepared-labs.ts';

const labs = preparedLabs();
const { because, it, root } = labs;

/** Two hosts and a state of their own, which are taken down when the file is done. */
function prepared(label: string) {
  const { instance, where } = labs.prepared(
    label,
    { links: [['h1', 'h2']] },
    path.join(root, `${label}-home`),
  );
  return { instance, where, file: (name: string) => path.join(where.directory, name) };
}

/** Every write to a file fails, as on a full disk: SIGXFSZ is ignored, so that it is an error (setrlimit(2)). */
const withoutRoom = ['sh', '-c', 'trap "" XFSZ; ulimit -f 0; exec "$@"', 'sh'];

describe('the archive of collect', () => {
  it(`is not made where it would be collected or removed, nor over what is no archive${because}`, async () => {
    const { where, file } = prepared('archive');
    await lab(where, ['up', '--snapshot']);
    symlinkSync('config', file('link'));
    for (const name of ['config/a.tgz', 'config', 'link/a.tgz']) {
      const inside = await lab(where, ['collect', '--tar', name, '--cleanup']);
      const isInside = name !== 'config';
      expect(inside.exitCode).toBe(isInside ? 1 : 0);
      if (isInside) expect(inside.stderr).toContain('cannot be in the directory that it contains');
    }
    writeFileSync(file('notes.txt'), 'mine');
    const refused = await lab(where, ['collect', '--tar', 'notes.txt']);
    expect([refused.exitCode, refused.stderr]).toEqual([1, expect.stringContaining('is not an archive')]);
    expect(readFileSync(file('notes.txt'), 'utf8')).toBe('mine');
    for (const name of ['a.tar', 'a.tar', 'b.tgz', 'b.tgz']) {
      expect(await lab(where, ['collect', '--tar', name, '--cleanup'])).toMatchObject({ exitCode: 0 });
      expect(execFileSync('tar', ['-tf', file(name)], { encoding: 'utf8' })).toContain('config/h1.cfg');
    }
    expect(readdirSync(where.directory).filter((name) => /\.\d+$/.test(name))).toEqual([]);
  });
});

describe('without room for a byte', () => {
  it(`a lab goes down, and is forgotten${because}`, async () => {
    const { where, instance } = prepared('full');
    expect(await lab(where, ['up', '--snapshot'])).toMatchObject({ exitCode: 0 });
    const down = await lab(where, ['down'], withoutRoom);
    expect(down).toMatchObject({ exitCode: 0, stdout: expect.stringContaining('2 nodes removed') });
    expect(leftovers(where, instance)).toEqual([]);
  });

  it(`beside another lab, down names the file that it cannot write, and can be repeated${because}`, async () => {
    const { where, instance } = prepared('beside');
    const { where: beside } = labs.prepared('room', { links: [['h1']] }, where.home);
    for (const place of [where, beside]) {
      expect(await lab(place, ['up', '--snapshot'])).toMatchObject({ exitCode: 0 });
    }
    const down = await lab(where, ['down'], withoutRoom);
    expect([down.exitCode, down.stderr]).toEqual([
      1,
      expect.stringMatching(/Fatal error in lab down: cannot write .*\/status\.json: EFBIG/),
    ]);
    expect(leftovers(where, instance)).toEqual([`state ${instance}`]);
    expect(await lab(where, ['down'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(await lab(beside, ['exec', 'h1', 'true'])).toMatchObject({ exitCode: 0 });
  });

  it(`an up says which file, and leaves nothing${because}`, async () => {
    const { where, instance } = prepared('none');
    const up = await lab(where, ['up', '--snapshot'], withoutRoom);
    expect(up.exitCode).toBe(1);
    expect(up.stderr).toMatch(/Fatal error in lab up: cannot write .*\/status\.json: EFBIG/);
    expect(leftovers(where, instance)).toEqual([]);
  });
});

describe('a namespace of another under the name of a node', () => {
  it(`stays, with its processes${because}`, async () => {
    const { where, instance } = prepared('theirs');
    const foreign = `foreign-${instance}`;
    await lab(where, ['up', '--snapshot']);
    execFileSync('ip', ['netns', 'add', foreign]);
    const sleeper = spawn('nsenter', [`--net=/run/netns/${foreign}`, 'sleep', '1000'], { stdio: 'ignore' });
    try {
      await eventually('it sleeps', () =>
        readFileSync(`/proc/${sleeper.pid}/cmdline`, 'utf8').startsWith('sleep'),
      );
      execFileSync('ip', ['netns', 'del', `lab-${instance}-h1`]);
      execFileSync('ip', ['netns', 'attach', `lab-${instance}-h1`, String(sleeper.pid)]);
      expect(await lab(where, ['down'])).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('1 node removed'),
      });
      expect(sleeper.exitCode ?? sleeper.signalCode).toBeNull();
      expect(leftovers(where, instance)).toEqual([`lab-${instance}-h1`]);
    } finally {
      sleeper.kill('SIGKILL');
      execFileSync('ip', ['netns', 'del', foreign]);
      execFileSync('ip', ['netns', 'del', `lab-${instance}-h1`]);
    }
  });
});

describe('a command', () => {
  it(`in a directory that is gone says so${because}`, async () => {
    const { where } = prepared('gone');
    const away = ['sh', '-c', 'mkdir away && cd away && rmdir ../away && exec "$@"', 'sh'];
    expect(await lab(where, ['status'], away)).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'Fatal error in lab: the working directory no longer exists\n',
    });
  });

  it(`with its state below /proc ends${because}`, async () => {
    const { where } = prepared('proc');
    const up = await lab({ ...where, home: '/proc/lab-api-none' }, ['up', '--snapshot']);
    expect([up.exitCode, up.stderr]).toEqual([1, expect.stringContaining('ENOENT')]);
  });

  it(`that cleans up leaves a directory called like the snapshot${because}`, async () => {
    const { where, file } = prepared('dir');
    execFileSync('rm', [file('lab.snapshot.json')]);
    execFileSync('mkdir', [file('lab.snapshot.json')]);
    expect(await lab(where, ['down', '--cleanup'])).toMatchObject({ exitCode: 0, stderr: '' });
    expect(existsSync(file('lab.snapshot.json'))).toBe(true);
  });

  it(`that takes the lab down from inside of it gets to its end${because}`, async () => {
    const { where, instance } = prepared('saw');
    await lab(where, ['up', '--snapshot']);
    const down = [process.execPath, path.resolve('dist/engine/main.js'), 'down'];
    expect(await lab(where, ['exec', 'h1', ...down])).toMatchObject({ exitCode: 0 });
    expect(leftovers(where, instance)).toEqual([]);
  });
});

describe('exec', () => {
  it(`passes an interrupt on that was sent to it alone${because}`, async () => {
    const { where } = prepared('int');
    await lab(where, ['up', '--snapshot']);
    const child = startLab(where, ['exec', 'h1', 'sh', '-c', 'echo ready; exec sleep 1000']);
    const exit = new Promise((resolve) => child.once('exit', resolve));
    await new Promise((resolve) => child.stdout!.once('data', resolve));
    child.kill('SIGINT');
    expect(await exit).toBe(130);
  });

  it(`needs no --, names the node, and says in a sentence that there is no such program${because}`, async () => {
    const { where } = prepared('plain');
    await lab(where, ['up', '--snapshot']);
    const hostname = execFileSync('hostname', { encoding: 'utf8' });
    expect(await lab(where, ['exec', 'h1', 'hostname'])).toMatchObject({ stdout: 'h1\n' });
    expect(execFileSync('hostname', { encoding: 'utf8' })).toBe(hostname);
    expect(await lab(where, ['exec', 'h1', 'sh', '-c', 'echo $0 $1', '-i', '--help'])).toMatchObject({
      exitCode: 0,
      stdout: '-i --help\n',
    });
    expect(await lab(where, ['exec', 'h1', '--', 'no-such-program', '-x'])).toEqual({
      exitCode: 127,
      stdout: '',
      stderr: 'Fatal error in lab exec: there is no program "no-such-program"\n',
    });
  });
});

describe('up', () => {
  const text = (nodes: string): string => `{defaults.device: linux, nodes: [${nodes}], links: [h1-h2]}`;

  it(`does not put another lab in the place of one that runs${because}`, async () => {
    const { where, instance, file } = prepared('other');
    await lab(where, ['up', '--snapshot']);
    const other = handMadeLab({ instance, links: [['h1', 'h2', 'h3']] });
    writeFileSync(file('other.json'), JSON.stringify(other));
    const refused = await lab(where, ['up', '--snapshot', 'other.json']);
    expect(refused.exitCode).toBe(1);
    expect(refused.stderr).toContain(
      'another lab is running in this directory (from lab.snapshot.json): stop it first (lab down)\n',
    );
    expect(await lab(where, ['exec', 'h1', 'ping', '-c1', '-W5', 'h2'])).toMatchObject({ exitCode: 0 });
    // The same file, changed; and the same nodes from another file.
    writeFileSync(file('lab.snapshot.json'), JSON.stringify(other));
    for (const name of ['lab.snapshot.json', 'other.json']) {
      expect(await lab(where, ['up', '--snapshot', name])).toMatchObject({ exitCode: 0 });
    }
  });

  it(`takes a directory for the topology.yml in it${because}`, async () => {
    const { where, file } = prepared('takes');
    execFileSync('mkdir', [file('inner')]);
    expect((await lab(where, ['create', 'inner'])).stderr).toContain('there is no topology file');
    writeFileSync(file('inner/topology.yml'), text('h1, h2'));
    expect(await lab(where, ['up', 'inner', '--dry-run'])).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('netns add lab-default-h2'),
    });
    writeFileSync(file('inner/topology.yml'), text('h1'));
    expect((await lab(where, ['create', 'inner'])).stderr).toContain('inner/topology.yml:1:');
  });
});
