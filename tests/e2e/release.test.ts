/** What `scripts/release.mjs` makes, and whether it can be installed on a bare Debian: by its own systemd, without a network. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { DebianMachine, missingForDebian } from '../support/debian-machine.ts';
import { repoRoot } from '../support/repo-files.ts';
import { requirement, testUnless } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { commandsBelow } from '../support/typed-page.ts';

const directory = temporaryDirectory();
const run = promisify(execFile);
const missing = requirement('dpkg-deb').missing;
const { it, because } = testUnless(missing);
const { version } = JSON.parse(readFileSync(path.join(repoRoot, 'package.json'), 'utf8')) as {
  version: string;
};
const out = path.join(directory, 'release');

/** As it is built, and with quick compression. */
async function release(place: string): Promise<void> {
  const script = path.join(repoRoot, 'scripts/release.mjs');
  await run(process.execPath, [script, '--dry-run', '--built', '--level', '1', '--out', place]);
}

beforeAll(async () => {
  if (missing === undefined) await release(out);
}, 300_000);

const fileOf = (pattern: RegExp): string => {
  const name = readdirSync(out).find((file) => pattern.test(file)) ?? '';
  return path.join(out, name);
};
const [isDeb, isArchive] = [/\.deb$/, /-linux-\w+\.tar\.gz$/];

it(`a release has all artifacts, and their checksums are right${because}`, async () => {
  const processor = { x64: 'amd64' }[process.arch as string] ?? process.arch;
  const artifacts = [
    `lab-api-${version}.tgz`,
    `lab-api_${version}_${processor}.deb`,
    `lab-api-${version}-linux-${process.arch}.tar.gz`,
  ];
  expect(readdirSync(out).toSorted()).toEqual(
    [
      ...artifacts.flatMap((file) => [file, `${file}.cdx.json`]),
      `lab-api-${version}-source.tar.gz`,
      'RELEASE_NOTES.md',
      'SHA256SUMS',
    ].toSorted(),
  );
  await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out });
});

it(`a second release of the same commit has the same bytes${because}`, async () => {
  const again = path.join(directory, 'again');
  await release(again);
  expect(readFileSync(path.join(again, 'SHA256SUMS'), 'utf8')).toBe(
    readFileSync(path.join(out, 'SHA256SUMS'), 'utf8'),
  );
  // The times that npm writes are others: then it would also have the modes of the checkout, which depend on the umask.
  const times = `tar -tvzf "$0" --full-time | tr -s ' ' | cut -d' ' -f4,5 | sort -u`;
  const packed = new Date(
    1000 * Number((await run('git', ['log', '-1', '--format=%ct'], { cwd: repoRoot })).stdout),
  );
  const { stdout } = await run('sh', ['-c', times, fileOf(/\.tgz$/)], {
    env: { ...process.env, TZ: 'UTC' },
  });
  expect(stdout.trim()).toBe(packed.toISOString().slice(0, 19).replace('T', ' '));
}, 300_000);

it(`each bill of materials is valid, and lists what its artifact contains${because}`, async () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  const names = async (pattern: RegExp): Promise<string[]> => {
    const bill = readFileSync(fileOf(pattern), 'utf8');
    expect(await validator.validate(bill)).toBeNull();
    return (JSON.parse(bill) as { components: { purl: string }[] }).components.map(({ purl }) =>
      purl.replace(/@[^@]*$/, ''),
    );
  };
  const [npm, deb, archive] = await Promise.all([/\.tgz\.cdx/, /\.deb\.cdx/, /linux.*\.cdx/].map(names));
  expect(npm).toEqual(
    // Of the program, of the page, and of the reference.
    expect.arrayContaining(['pkg:npm/express', 'pkg:npm/%40mantine/core', 'pkg:npm/swagger-ui-dist']),
  );
  expect(npm).not.toContain('pkg:npm/jest');
  expect(deb?.filter((name) => !npm?.includes(name))).toEqual(
    expect.arrayContaining(['pkg:generic/node', 'pkg:npm/%40lydell/node-pty', 'pkg:npm/bullmq']),
  );
  expect(archive).toEqual(deb);
});

// Not the tag: this also runs on the commit that has it.
test('a release is refused with all that is missing, here the licence of Node.js', async () => {
  const script = path.join(repoRoot, 'scripts/release.mjs');
  const [place, node] = ['refused', 'node'].map((name) => path.join(directory, name)) as [string, string];
  mkdirSync(path.join(node, 'bin'), { recursive: true });
  symlinkSync(process.execPath, path.join(node, 'bin/node'));
  const { code, stderr } = (await run(process.execPath, [script, '--out', place, '--node', node]).catch(
    (error: unknown) => error as { code: number; stderr: string },
  )) as { code: number; stderr: string };
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining(`${node} has no LICENSE of Node.js`),
  });
  expect(existsSync(place)).toBe(false);
});

const lintian = requirement('lintian').missing ?? missing;
testUnless(lintian).it(
  `lintian has nothing to say about the Debian package${testUnless(lintian).because}`,
  async () => {
    const { stdout } = await run('lintian', ['--no-cfg', '--tag-display-limit', '0', fileOf(isDeb)]);
    expect(stdout).toBe('');
  },
  300_000,
);

describe.each(['bookworm', 'trixie'])('on a bare Debian %s', (debian) => {
  const { it: onDebian, because: why } = testUnless(missing ?? missingForDebian);
  const machine = new DebianMachine(path.join(directory, debian));
  afterAll(async () => machine.stop());

  beforeAll(async () => {
    if ((missing ?? missingForDebian) !== undefined) return;
    await machine.start(debian);
    mkdirSync(path.join(machine.root, 'root/release'));
    for (const pattern of [isDeb, isArchive])
      copyFileSync(fileOf(pattern), path.join(machine.root, 'root/release', path.basename(fileOf(pattern))));
  }, 120_000);

  /** Runs it with the login that the installation has made. */
  async function asUser(command: string): Promise<string> {
    const password = "$(sed -n 's/^LAB_API_PASSWORD=//p' /etc/lab-api/lab-api.env)";
    const login = `export LAB_API_URL=http://127.0.0.1:8090 LAB_API_USER=lab LAB_API_PASSWORD=${password}`;
    return succeeds(`${login}; ${command}`);
  }

  async function succeeds(command: string): Promise<string> {
    const { code, output } = await machine.run(command);
    expect({ command, code, output: code === 0 ? '' : output }).toEqual({ command, code: 0, output: '' });
    return output;
  }

  /** Found on the machine: links such as /var/run would lead to the files of this one. */
  const files = async (): Promise<string> =>
    succeeds(`find /etc /usr /var /run /opt -path '*lab-api*' -o -name lab -o -name lab.1.gz`);

  onDebian(
    `the Debian package starts the service, and a lab runs${why}`,
    async () => {
      const commands = commandsBelow('Install it', 'README.md')[1] ?? '';
      expect(commands).toContain(`lab-api_${version}_`);
      // Without packages that it recommends: they would come from the network.
      const install = 'apt-get install -y --no-install-recommends /root/release/*.deb';
      const sudo = `sudo() { if [ "$1" = apt ]; then ${install}; else "$@"; fi; }`;
      expect(await succeeds(`set -e; ${sudo}\n${commands}`)).toContain('Lab default is up');
      await succeeds('systemctl is-active lab-api && systemctl is-enabled lab-api');
      expect(await asUser('lab exec default h1 -- ping -c 1 h2')).toContain(' 0% packet loss');
      expect(await succeeds('ps -o user= -C node')).toMatch(/^lab-api$/m);
    },
    120_000,
  );

  onDebian(
    `an upgrade restarts the service, and jobs and labs go on${why}`,
    async () => {
      const tree = path.join(directory, `next-${debian}`);
      await run('dpkg-deb', ['-R', fileOf(isDeb), tree]);
      const control = path.join(tree, 'DEBIAN/control');
      writeFileSync(control, readFileSync(control, 'utf8').replace(/^Version: .*$/m, 'Version: 99.0.0'));
      await run('dpkg-deb', ['-Znone', '-b', tree, path.join(machine.root, 'root/next.deb')]);
      const before = await succeeds('systemctl show -p MainPID lab-api');
      await succeeds('apt-get install -y --no-install-recommends /root/next.deb');
      expect(await succeeds('systemctl is-active lab-api')).toBe('active\n');
      expect(await succeeds('systemctl show -p MainPID lab-api')).not.toBe(before);
      expect(await asUser('lab exec default h1 -- ping -c 1 h2')).toContain(' 0% packet loss');
    },
    120_000,
  );

  onDebian(
    `a removal is refused while a lab runs; without one, it leaves settings and data${why}`,
    async () => {
      const refused = await machine.run('apt-get remove -y lab-api');
      expect(refused.code).not.toBe(0);
      expect(refused.output).toContain('processes of the user lab-api run, perhaps of a lab');
      expect(await succeeds('systemctl is-active lab-api')).toBe('active\n');
      await asUser('lab start down --workspace demo --wait');
      await succeeds('ip netns add lab-default-h1');
      const ofRoot = await machine.run('apt-get remove -y lab-api');
      expect(ofRoot.output).toContain('a lab of root has the node lab-default-h1');
      await succeeds('ip netns delete lab-default-h1 && apt-get remove -y lab-api');
      expect(existsSync(path.join(machine.root, 'usr/lib/lab-api'))).toBe(false);
      for (const kept of ['etc/lab-api/lab-api.env', 'var/lib/lab-api/jobs'])
        expect(existsSync(path.join(machine.root, kept))).toBe(true);
    },
    120_000,
  );

  onDebian(
    `a purge leaves no file and no user${why}`,
    async () => {
      await succeeds('mount -t tmpfs labs /var/lib/lab-api/labs');
      const refused = await machine.run('apt-get purge -y lab-api');
      expect(refused.output).toContain('/var/lib/lab-api/labs is a mount point');
      expect(existsSync(path.join(machine.root, 'var/lib/lab-api/jobs'))).toBe(true);
      await succeeds('umount /var/lib/lab-api/labs && apt-get purge -y lab-api');
      expect(await files()).toBe('');
      expect((await machine.run('id lab-api')).code).not.toBe(0);
    },
    120_000,
  );

  onDebian(
    `the archive needs nothing else: install-service.sh makes the service of it${why}`,
    async () => {
      // As a purge leaves it when a user is in the group.
      await succeeds('groupadd lab-api');
      await succeeds('tar -xzf /root/release/*-linux-*.tar.gz -C /opt && mv /opt/lab-api-* /opt/lab-api');
      await succeeds('/opt/lab-api/scripts/install-service.sh && systemctl is-active lab-api');
      const lab = '/opt/lab-api/bin/lab';
      await asUser(
        `${lab} push /opt/lab-api/examples/triangle demo && ${lab} start up --workspace demo --wait`,
      );
      expect(await asUser(`${lab} exec default h1 -- ping -c 1 h2`)).toContain(' 0% packet loss');
      await asUser(`${lab} start down --workspace demo --wait`);
      await succeeds('/opt/lab-api/scripts/install-service.sh --uninstall --purge && rm -r /opt/lab-api');
      expect(await files()).toBe('');
    },
    120_000,
  );
});
