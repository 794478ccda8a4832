/** Nodes in namespaces on images, with a real shell in them. */
import { expect } from '@jest/globals';
import { execFileSync, spawn } from 'node:child_process';
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tarOf, type Member } from '../support/archives.ts';
import { containerLabs, ContainerLab } from '../support/container-lab.ts';
import { lab as runLab, missingForLabs } from '../support/engine-cli.ts';
import { dockerArchive } from '../support/image-archives.ts';
import { requirement, testUnless } from '../support/requirements.ts';

/** One program that is a shell and all others, and needs no libraries (the package busybox-static). */
const busybox = requirement('busybox');

function whyNotStatic(): string | undefined {
  if (busybox.missing !== undefined) return busybox.missing;
  // The path of the loader that a program with libraries names (elf(5), PT_INTERP).
  return /\/lib\S*\/ld-/.test(readFileSync(busybox.file, 'latin1')) ? 'busybox is not static' : undefined;
}

const missing = missingForLabs() ?? (process.getuid?.() === 0 ? undefined : 'needs root') ?? whyNotStatic();
const { because, it } = testUnless(missing);
const { root, labOf } = containerLabs();

function system(): Buffer {
  const names = execFileSync(busybox.file, ['--list'], { encoding: 'utf8' }).trim().split('\n');
  const links = names.map((name): Member => ({ name: `bin/${name}`, type: '2', link: 'busybox' }));
  return tarOf(
    { name: 'bin/busybox', content: readFileSync(busybox.file), mode: 0o755 },
    ...links.filter(({ name }) => name !== 'bin/busybox'),
    { name: 'usr/bin/env', type: '2', link: '/bin/busybox' },
    { name: 'old/file', content: 'x' },
    { name: 'opt/dir/file', content: 'x' },
  );
}

/** With quotes in everything that becomes a part of a script. */
function imageFile(): string {
  const config = {
    Env: ["COLOUR=it's blue", 'PATH=/bin:/strange dir'],
    Entrypoint: ['/bin/sh', '-c', 'echo "$0|$COLOUR|$PWD|$PATH|$(hostname)"; exec sleep 1000'],
    Cmd: ["it's; me"],
    WorkingDir: '/a b',
  };
  const upper = tarOf({ name: '.wh.old' }, { name: 'a b', type: '5', mode: 0o755 });
  const file = path.join(root, 'image.tar');
  writeFileSync(file, dockerArchive({ layers: [system(), upper], config }));
  return file;
}

const image = async (lab: ContainerLab, ...words: readonly string[]) =>
  runLab({ home: lab.home, directory: lab.directory }, ['image', ...words]);

it(`a node runs the program of its image, and changes of it stay in the node${because}`, async () => {
  const lab = labOf(['a', 'b'], { a: ', image: "own:1", env: { COLOUR: "it\'s red" }' });
  const refused = await lab.run('containerlab', 'deploy', '-t', 'clab.yml');
  expect(refused.stderr).toContain(
    'needs the image "own:1", which was not added: "lab image add own:1 ARCHIVE"',
  );
  expect(await image(lab, 'add', 'own:1', imageFile())).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining('Added the image own:1') as unknown,
  });
  expect(await lab.run('containerlab', 'deploy', '-t', 'clab.yml')).toMatchObject({
    exitCode: 0,
    stderr: '',
  });
  const inside = async (script: string) => lab.run('docker', 'exec', lab.container('a'), 'sh', '-c', script);
  expect((await lab.run('docker', 'logs', lab.container('a'))).stdout).toBe(
    "it's; me|it's red|/a b|/bin:/strange dir|a\n",
  );
  expect((await inside('echo "$COLOUR|$PATH"; ls -d /old /.machine; cat /etc/hosts')).stdout).toBe(
    "it's red|/bin:/strange dir\n127.0.0.1 localhost\n::1 localhost\n",
  );
  expect(await inside('echo x >/new && rm -r /opt && ls /')).toMatchObject({ exitCode: 0, stderr: '' });
  expect((await inside('ping -c1 -W2 192.168.121.2')).exitCode).toBe(0);
  const listed = await lab.run('docker', 'image', 'ls', '--format', '{{.ID}}', 'own:1');
  expect(listed.stdout).toMatch(/^[0-9a-f]{12}\n$/);

  const place = path.join(lab.home, 'images/trees');
  const trees = () => readdirSync(place).filter((name) => !name.endsWith('.lock'));
  const [tree = ''] = trees();
  expect(readdirSync(path.join(place, tree, 'root')).toSorted()).toEqual(['a b', 'bin', 'opt', 'usr']);
  expect(await image(lab, 'remove', 'own:1')).toMatchObject({ exitCode: 0 });
  expect((await image(lab, 'list')).stdout).toContain('There are no images');
  expect((await inside('ls /bin')).stdout).toContain('busybox');
  await lab.run('containerlab', 'destroy', '-t', 'clab.yml');
  expect(readdirSync(place)).toEqual([]);
  expect(lab.leftovers()).toEqual([]);
});

it(`root adds no image for another user, who could not read it${because}`, async () => {
  const lab = new ContainerLab(path.join(root, 'other'), ['a']);
  mkdirSync(lab.home);
  chownSync(lab.home, 65_534, 65_534);
  const { exitCode, stderr } = await image(lab, 'add', 'own:1', imageFile());
  expect({ exitCode, stderr }).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/as that user/) as unknown,
  });
  expect(readdirSync(lab.home)).toEqual([]);
});

it(`an addition that is killed at any instant leaves no image, or a whole one${because}`, async () => {
  const lab = new ContainerLab(path.join(root, 'killed'), ['a']);
  const file = imageFile();
  for (const signal of ['SIGTERM', 'SIGKILL', 'SIGKILL', 'SIGTERM'] as const) {
    const child = spawn(process.execPath, ['dist/engine/main.js', 'image', 'add', 'killed:1', file], {
      env: { ...process.env, LAB_HOME: lab.home },
      stdio: 'ignore',
    });
    const exit = new Promise((resolve) => child.once('exit', resolve));
    // Any instant means any: there is no event to wait for.
    await delay(Math.random() * 600);
    child.kill(signal);
    await exit;
    const { images } = JSON.parse((await image(lab, 'list', '--format', 'json')).stdout) as {
      readonly images: readonly { readonly name: string }[];
    };
    if (images.some(({ name }) => name === 'killed:1'))
      expect(await image(lab, 'remove', 'killed:1')).toMatchObject({ exitCode: 0 });
  }
  expect(await image(lab, 'add', 'killed:1', file)).toMatchObject({ exitCode: 0 });
  const left = readdirSync(path.join(lab.home, 'images/trees'));
  expect(left.filter((name) => !name.endsWith('.lock'))).toHaveLength(1);
});
