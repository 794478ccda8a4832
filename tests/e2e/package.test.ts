/** What `npm pack` makes, and whether it works where it is installed. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { superviseInstalled } from '../support/installed-service.ts';
import { repoFiles, repoRoot } from '../support/repo-files.ts';
import { testUnless } from '../support/requirements.ts';
import { topologyThat } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { commandsBelow, missingForTyping, typeInto } from '../support/typed-page.ts';

const directory = temporaryDirectory();
const run = promisify(execFile);
// npm's own variables would make the inner npm think that it is still the outer one.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_(?!config_)/i.test(name)),
);

const { version } = JSON.parse(readFileSync(path.join(repoRoot, 'package.json'), 'utf8')) as {
  version: string;
};
const typed = testUnless(missingForTyping());

interface Packed {
  readonly filename: string;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string; readonly mode: number }[];
}

let packed: Packed;

beforeAll(async () => {
  // Without `prepack`: it builds anew, and would pull the program from under other tests.
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', directory];
  const { stdout } = await run('npm', args, { cwd: repoRoot, env });
  packed = (JSON.parse(stdout) as [Packed])[0];
});

/** The programs of the runtime of namespaces, which netlab calls in the place of others. */
const standIns = ['capture.py', 'containerlab', 'docker', 'netlab', 'stand-in.sh', 'sudo', 'tcpdump'];

/** The markdown pages below `docs`, and the pictures in them. */
const pages = repoFiles().filter((file) => /^docs\/.*\.(?:md|svg)$/.test(file));

test('the package holds the built program, what installs it as a service, examples and documents; nothing else', () => {
  const outside = packed.files.map((file) => file.path).filter((file) => !file.startsWith('dist/'));
  const examples = repoFiles('examples');
  expect(outside.toSorted()).toEqual(
    [
      '.env.example',
      'CHANGELOG.md',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      ...examples,
      ...pages,
      'package.json',
      'packaging/grafana/lab-api.json',
      'packaging/lab-api.logrotate',
      'packaging/lab-api.service',
      'packaging/prometheus/lab-api.rules.test.yml',
      'packaging/prometheus/lab-api.rules.yml',
      'packaging/prometheus/prometheus.yml',
      'packaging/purge.sh',
      'scripts/install-netlab.sh',
      'scripts/install-service.sh',
    ].toSorted(),
  );
  const built = packed.files.map((file) => file.path).filter((file) => file.startsWith('dist/'));
  const others = built.filter((file) => !/\.js$|\.js\.map$|^dist\/(?:reference|dashboard)\//.test(file));
  expect(others).toContain('dist/modules/client/public.d.ts');
  expect(others.filter((file) => !/^dist\/modules\/client\/[\w-]+\.d\.ts$/.test(file)).toSorted()).toEqual([
    'dist/LICENSES.txt',
    ...standIns.map((name) => `dist/engine/runtime/${name}`),
    'dist/sbom.cdx.json',
  ]);
  // The page for people, as the service sends it: packed beforehand, with the licenses of what is in it.
  const page = built.filter((file) => file.startsWith('dist/dashboard/'));
  for (const name of ['index.html', 'build.json', 'LICENSES.md'])
    expect(page).toContain(`dist/dashboard/${name}`);
  for (const ending of ['js', 'css'])
    expect(
      page.filter((file) => /\/assets\/index-[\w-]+\.(\w+)\.gz$/.exec(file)?.[1] === ending),
    ).not.toEqual([]);
  // The programs of threads, which no other file imports.
  expect(built).toEqual(
    expect.arrayContaining(
      [
        'labs/picture/layout-worker',
        'labs/templates/template-worker',
        'labs/drivers/foreign-worker',
        'access/passwords/bcrypt-worker',
      ].map((it) => `dist/${it}.js`),
    ),
  );
  // With all that it needs: whoever installs it loads nothing else.
  expect(packed.unpackedSize).toBeLessThan(12_000_000);
});

test('every page that README.md links to is in the package', () => {
  const readme = readFileSync(path.join(repoRoot, 'README.md'), 'utf8');
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, target = '']) => target);
  const isThere = (target: string): boolean =>
    packed.files.some((file) => file.path === target || file.path.startsWith(`${target}/`));
  expect(links.length).toBeGreaterThan(8);
  expect(links.filter((target) => !isThere(target))).toEqual([]);
});

test('programs are executable in the package', () => {
  const programs = [
    'dist/main.js',
    'dist/engine/main.js',
    'scripts/install-service.sh',
    'scripts/install-netlab.sh',
  ];
  const modes = packed.files.filter((file) => programs.includes(file.path)).map(({ mode }) => mode & 0o111);
  expect(modes).toEqual(programs.map(() => 0o111));
});

describe('npm install -g', () => {
  const prefix = path.join(directory, 'prefix');
  const lab = path.join(prefix, 'bin', 'lab');
  const home = path.join(directory, 'home');
  const inside = { PATH: `${path.dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`, HOME: home };

  async function install(tarball: string): Promise<void> {
    const quietly = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'error'];
    await run('npm', ['install', '-g', '--prefix', prefix, ...quietly, tarball], { cwd: directory, env });
  }

  /** The same package, as version 99.0.0. */
  async function nextVersion(): Promise<string> {
    await run('tar', ['-xf', packed.filename], { cwd: directory });
    const manifest = path.join(directory, 'package', 'package.json');
    const content = JSON.parse(readFileSync(manifest, 'utf8')) as Record<string, unknown>;
    writeFileSync(manifest, JSON.stringify({ ...content, version: '99.0.0' }));
    await run('tar', ['-czf', 'next.tgz', 'package'], { cwd: directory });
    return path.join(directory, 'next.tgz');
  }

  beforeAll(async () => install(path.join(directory, packed.filename)), 180_000);

  test('gives a lab with its version', async () => {
    expect((await run(lab, ['--version'], { env: inside })).stdout).toBe(`${version}\n`);
  });

  test('with the bundled engine, that plans an example', async () => {
    const topology = path.join(
      prefix,
      'lib',
      'node_modules',
      'lab-api',
      'examples',
      'triangle',
      'topology.yml',
    );
    const { stdout } = await run(lab, ['up', '--dry-run', topology], { cwd: directory, env: inside });
    expect(stdout).toContain('netns add lab-default-r1\n');
  });

  test('with a service that finds its engine', async () => {
    const { stdout } = await run(lab, ['doctor', '--cli', 'engine', '--port', '0', '--json'], {
      env: inside,
    }).catch((error: unknown) => error as { stdout: string });
    expect(stdout).toMatch(/"lab \d+\.\d+\.\d+, \S+lib\/node_modules\/lab-api\/dist\/engine\/main\.js"/);
  });

  test('with a client that programs import, and its types', async () => {
    const program = `import { LabApiClient, ServiceError, type Job } from 'lab-api/client';
const client = new LabApiClient({ url: 'http://127.0.0.1:1' });
const names: Promise<Job['state'][]> = client.listJobs({ state: ['queued'] }).then(({ jobs }) => jobs.map((job) => job.state));
names.catch((error: unknown) => console.log(error instanceof ServiceError ? 'refused' : (error as Error).name));
`;
    const consumer = path.join(directory, 'consumer');
    mkdirSync(path.join(consumer, 'node_modules'), { recursive: true });
    symlinkSync(
      path.join(prefix, 'lib', 'node_modules', 'lab-api'),
      path.join(consumer, 'node_modules', 'lab-api'),
    );
    writeFileSync(path.join(consumer, 'package.json'), '{"type": "module"}');
    writeFileSync(path.join(consumer, 'program.ts'), program);
    const types = path.join(repoRoot, 'node_modules', '@types');
    const options = [
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--typeRoots',
      types,
      '--types',
      'node',
    ];
    await run(path.join(repoRoot, 'node_modules', '.bin', 'tsc'), [...options, 'program.ts'], {
      cwd: consumer,
    });
    const { stdout } = await run(process.execPath, ['program.js'], { cwd: consumer });
    expect(stdout).toBe('ConnectionError\n');
  });

  test('with completion', async () => {
    const { stdout } = await run(lab, ['completion', 'bash'], { env: inside });
    expect(stdout).toContain('complete -o default -F _lab lab');
  });

  typed.it(`README.md, "Install it": the commands for npm start a lab${typed.because}`, () => {
    const [block = ''] = commandsBelow('Install it', 'README.md');
    const commands = block.replace(`npm install -g ./lab-api-${version}.tgz\n`, '');
    expect(commands).not.toBe(block);
    const place = path.join(directory, 'typed');
    mkdirSync(place);
    const modules = path.join(prefix, 'lib', 'node_modules');
    const script = `PATH=${prefix}/bin:$PATH; npm() { echo ${modules}; }\n${commands}kill %1`;
    const { status, stdout, stderr } = typeInto(place, script);
    expect({ status, output: stdout + stderr }).toEqual({
      status: 0,
      output: expect.stringMatching(/Lab default is up/),
    });
  });

  test('an upgrade: the job goes on, and the new version adopts it', async () => {
    const script = path.join(prefix, 'lib', 'node_modules', 'lab-api', 'scripts', 'install-service.sh');
    const { ground, client, supervisor } = await superviseInstalled(script);
    expect(await supervisor.start(ground.root)).toBe(0);
    const topology = topologyThat('echo one; wait_for go; echo two');
    const id = await client.start({ action: 'up', workdir: ground.workdir, topology });
    await ground.waitsFor('go');
    await install(await nextVersion());
    expect((await run(lab, ['--version'], { env: inside })).stdout).toBe('99.0.0\n');
    await supervisor.stop();
    expect(await supervisor.start(ground.root)).toBe(0);
    expect((await client.get('/')).json).toMatchObject({ version: '99.0.0' });
    ground.let('go');
    expect(await client.ended(id)).toMatchObject({ state: 'success', exitCode: 0 });
    expect(await client.logText(id)).toMatch(/^one\ntwo\n/);
  }, 180_000);

  test('with install-service, whose unit starts the installed program', async () => {
    const script = path.join(prefix, 'lib', 'node_modules', 'lab-api', 'scripts', 'install-service.sh');
    await run(script, ['--root', directory], { env: inside });
    const unit = readFileSync(path.join(directory, 'etc', 'systemd', 'system', 'lab-api.service'), 'utf8');
    const [, program] = /^ExecStart=\S+ (\S+) api$/m.exec(unit) ?? [];
    expect(program).toBe(path.join(prefix, 'lib', 'node_modules', 'lab-api', 'dist', 'main.js'));
  });
});
