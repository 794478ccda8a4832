import { describe, expect, test } from '@jest/globals';
import path from 'node:path';
import { checkDocker, checkLabCli, checkProviders } from '../../../src/doctor/lab-cli.ts';
import { checkPrivileges, checkPrograms } from '../../../src/doctor/privileges.ts';
import type { Subject } from '../../../src/doctor/finding.ts';
import { fixtureProgram } from '../../support/programs.ts';
import { programDirectory, subjectOf } from '../../support/doctor.ts';
import { requirement } from '../../support/requirements.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();

/** A machine on which these are all the programs there are. */
function machine(scripts: Readonly<Record<string, string>>, linked: readonly string[] = []): Subject {
  return subjectOf({ PATH: programDirectory(root, scripts, linked) });
}
const providers = (yaml: string): string =>
  `[ "$*" = "show providers --format yaml" ] || exit 9\nprintf '${yaml.replaceAll('\n', '\\n')}'`;

describe('lab CLI', () => {
  test('tells its version', async () => {
    const file = fixtureProgram('fake-netlab');
    const finding = await checkLabCli(subjectOf({ LAB_API_CLI: file, PATH: process.env['PATH'] ?? '' }));
    expect(finding).toEqual({ kind: 'ok', detail: `fake-netlab 26.10, ${file}` });
  });

  test('is not there', async () => {
    expect(await checkLabCli(subjectOf({ LAB_API_CLI: '/no/netlab', PATH: '/nowhere' }))).toMatchObject({
      kind: 'failed',
      detail: 'there is no program "/no/netlab" on PATH or at this path',
    });
  });

  test('is there and does not start', async () => {
    const subject = machine({ netlab: 'echo "No module named netsim" >&2; exit 1' });
    expect(await checkLabCli(subject)).toMatchObject({
      kind: 'failed',
      detail: expect.stringMatching(/^cannot read the version of .*netlab: No module named netsim$/),
      remedy: expect.stringContaining('netlab version'),
    });
  });
});

describe('providers of netlab', () => {
  test.each<{ name: string; yaml: string; kind: string; detail: RegExp }>([
    {
      name: 'one works',
      yaml: 'clab:\n  status: OK\nlibvirt:\n  status: N/A\n',
      kind: 'ok',
      detail: /^clab OK, libvirt N\/A$/,
    },
    {
      name: 'none but the one that needs nothing',
      yaml: 'clab:\n  status: N/A\nexternal:\n  status: OK\n',
      kind: 'failed',
      detail: /clab N\/A/,
    },
    { name: 'an empty answer', yaml: '', kind: 'failed', detail: /no provider can start a node/ },
  ])('$name', async ({ yaml, kind, detail }) => {
    const finding = await checkProviders(machine({ netlab: providers(yaml) }));
    expect(finding).toMatchObject({ kind, detail: expect.stringMatching(detail) });
  });

  test('netlab fails', async () => {
    expect(await checkProviders(machine({ netlab: 'echo "no such command" >&2; exit 1' }))).toMatchObject({
      kind: 'failed',
      detail: 'netlab show providers --format yaml fails: no such command',
    });
  });

  const netlab = requirement('netlab');
  (process.env['PATH']?.split(path.delimiter).includes(path.dirname(netlab.file)) ? test : test.skip)(
    'the real netlab (skipped where it is not on PATH)',
    async () => {
      const finding = await checkProviders(subjectOf({ PATH: process.env['PATH'] ?? '', HOME: root }));
      expect(finding.detail).toMatch(/clab (OK|N\/A), external OK/);
    },
  );
});

describe('Docker', () => {
  const netlab = 'exit 0';
  test.each<{ name: string; scripts: Record<string, string>; kind: string; detail: RegExp }>([
    { name: 'answers', scripts: { netlab, docker: 'echo 28.1.0' }, kind: 'ok', detail: /^version 28\.1\.0$/ },
    { name: 'is not installed', scripts: { netlab }, kind: 'warning', detail: /docker is not on PATH/ },
    {
      name: 'has no daemon',
      scripts: { netlab, docker: 'echo "Cannot connect to the Docker daemon" >&2; exit 1' },
      kind: 'failed',
      detail: /does not reach its daemon: Cannot connect to the Docker daemon$/,
    },
    {
      name: 'is not needed',
      scripts: { docker: 'exit 1' },
      kind: 'skipped',
      detail: /does not need Docker/,
    },
  ])('$name', async ({ scripts, kind, detail }) => {
    expect(await checkDocker(machine(scripts))).toMatchObject({
      kind,
      detail: expect.stringMatching(detail),
    });
  });
});

describe('privileges and programs', () => {
  test('netlab: an ordinary user needs sudo that does not ask', async () => {
    const isRoot = process.getuid?.() === 0;
    const asking = machine({ netlab: 'exit 0', sudo: 'echo "sudo: a password is required" >&2; exit 1' });
    expect((await checkPrivileges(asking)).kind).toBe(isRoot ? 'ok' : 'warning');
    expect((await checkPrivileges(machine({ netlab: 'exit 0', sudo: 'exit 0' }))).kind).toBe('ok');
  });

  test('programs that are called and not there', async () => {
    const subject = machine({ netlab: 'exit 0' });
    expect(await checkPrograms(subject)).toMatchObject({ kind: 'warning', detail: 'not on PATH: flock' });
    expect((await checkPrograms(machine({ netlab: 'exit 0' }, ['flock']))).kind).toBe('ok');
  });
});
