import { beforeEach, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import { withPaths } from '../../../../src/labs/plan/plan-paths.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let workdir: string;

beforeEach(() => {
  workdir = mkdtempSync(path.join(root, 'lab-'));
  mkdirSync(path.join(workdir, 'directory'));
  writeFileSync(path.join(workdir, 'file'), '');
  symlinkSync('/etc', path.join(workdir, 'out'));
});

const at = (name: string): string => path.join(workdir, name);
const paths = async (options: Parameters<typeof withPaths>[0], roots: readonly string[] = []) =>
  withPaths(options, { workdir, roots: new AllowedRoots(roots) });

test('what names something that is there is made absolute, and what else there is stays', async () => {
  const others = { device: 'file', collectOutput: 'file', quiet: true };
  expect(
    await paths({ ...others, reloadConfig: 'directory', vars: './file', template: './directory' }),
  ).toEqual({
    ...others,
    reloadConfig: at('directory'),
    vars: at('file'),
    template: at('directory'),
  });
  expect(await paths({ reloadConfig: '~', template: at('file') })).toEqual({
    reloadConfig: os.homedir(),
    template: at('file'),
  });
});

test.each([
  [{ reloadConfig: 'file' }, 'there is no directory'],
  [{ vars: 'directory' }, 'there is no file'],
  [{ vars: 'nothing' }, 'there is no file'],
  [{ template: './nothing' }, 'there is no file or directory'],
  [{ template: '/dev/null' }, 'there is no file or directory'],
])('%j is refused by name', async (options, why) => {
  const [field = ''] = Object.keys(options);
  const { code, errors, message } = await failureOf(paths(options));
  expect([code, errors?.[0]?.field]).toEqual(['invalid-request', field]);
  expect(message).toContain(why);
});

test('nothing outside the roots is looked at, whether it is there or not', async () => {
  for (const vars of ['/etc/hostname', '/etc/nothing', 'out/hostname', 'out'])
    expect(await failureOf(paths({ vars }, [workdir]))).toMatchObject({
      code: 'forbidden-path',
      errors: [{ field: 'vars' }],
    });
  expect(await paths({ vars: 'file' }, [workdir])).toEqual({ vars: at('file') });
});

test('a template that is named is for the lab CLI to find; a link of that name must not lead out', async () => {
  expect(await paths({ template: 'motd' }, [workdir])).toEqual({ template: 'motd' });
  expect(await paths({ template: 'file' }, [workdir])).toEqual({ template: 'file' });
  expect(await failureOf(paths({ template: 'out' }, [workdir]))).toMatchObject({
    errors: [{ field: 'template' }],
  });
  symlinkSync('/etc/hostname', at('motd.j2'));
  expect((await failureOf(paths({ template: 'motd' }, [workdir]))).code).toBe('forbidden-path');
});

test('a file that the lab CLI writes is not one of the service, nor a directory that it empties around those', async () => {
  const roots = new AllowedRoots([], { dataDir: at('state/data'), serverDirectory: workdir });
  mkdirSync(at('state/data/jobs'), { recursive: true });
  symlinkSync(at('state'), at('link'));
  writeFileSync(at('state/data/host.json'), '{}');
  for (const option of ['state', 'state/data', 'state/data/jobs', 'link', 'state/data/new', 'link/data/new'])
    expect(await failureOf(withPaths({ collectOutput: option }, { workdir, roots }))).toMatchObject({
      code: 'forbidden-path',
      errors: [{ field: 'collectOutput' }],
    });
  for (const vars of ['state/data/host.json', 'link/data/host.json'])
    expect(await failureOf(withPaths({ vars }, { workdir, roots }))).toMatchObject({
      code: 'forbidden-path',
    });
  expect(await withPaths({ collectOutput: 'config' }, { workdir, roots })).toEqual({
    collectOutput: 'config',
  });
});
