import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import {
  checkCollectOutput,
  checkCollectSuffix,
  checkCollectTar,
  checkCreateOutputs,
  checkOptions,
} from '../../../../../src/labs/drivers/netlab-language/option-rules.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let lab: string;

beforeEach(() => {
  lab = mkdtempSync(path.join(root, 'lab-'));
  mkdirSync(path.join(lab, 'real'));
  writeFileSync(path.join(lab, 'topology.yml'), 'nodes: [a]');
  symlinkSync('real', path.join(lab, 'inside'));
  symlinkSync('/etc', path.join(lab, 'out'));
  symlinkSync('../nowhere', path.join(lab, 'dangling'));
  symlinkSync('.', path.join(lab, 'self'));
  symlinkSync('/tmp/elsewhere.tar.gz', path.join(lab, 'link.tar.gz'));
});

describe('the output directory of collect', () => {
  test.each(['cfg', 'real', 'inside/cfg', './a/../b', '..cfg', 'a/b/c'])('%s', async (value) => {
    await expect(checkCollectOutput(lab, value)).resolves.toBeUndefined();
    await expect(checkCollectOutput(lab, path.join(lab, value))).resolves.toBeUndefined();
  });

  test.each([
    '.',
    '..',
    './x/..',
    '/',
    '/tmp',
    '../lab2',
    'out',
    'out/x',
    'dangling',
    'self',
    'self/x',
    'topology.yml',
  ])('not %s', async (value) => {
    const error = await failureOf(checkCollectOutput(lab, value));
    expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field: 'collectOutput' }] });
  });

  test('not the working directory by its full path', async () => {
    expect(await failureOf(checkCollectOutput(lab, lab))).toMatchObject({ code: 'invalid-request' });
    expect(await failureOf(checkCollectOutput(lab, `${lab}-other`))).toMatchObject({
      code: 'invalid-request',
    });
  });
});

describe('the tar file of collect', () => {
  test.each(['a.tar.gz', 'inside/a', 'x.tar'])('%s', async (value) => {
    await expect(checkCollectTar(lab, value)).resolves.toBeUndefined();
  });

  test.each(['host:file.tar', '../x.tar', '/tmp/x.tar', 'link', 'out/x.tar'])('not %s', async (value) => {
    const error = await failureOf(checkCollectTar(lab, value));
    expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field: 'collectTar' }] });
  });
});

describe('what Ansible would evaluate', () => {
  test.each(['a b', "{{lookup('pipe','id')}}", 'a"b', 'x=y', 'a\n'])('is refused: %j', async (value) => {
    expect(await failureOf(checkCollectOutput(lab, value))).toMatchObject({ code: 'invalid-request' });
    expect(() => checkCollectSuffix(value)).toThrow('collectSuffix: may hold only');
  });

  test('a suffix is no path', () => {
    expect(() => checkCollectSuffix('cfg')).not.toThrow();
    expect(() => checkCollectSuffix('/../../x')).toThrow('must not contain "/"');
  });
});

describe('the outputs of create', () => {
  test.each(['yaml=out.yml', 'yaml', 'd2=-', 'json:nodes=real/out.json', 'yaml='])('%s', async (output) => {
    await expect(checkCreateOutputs(lab, [output])).resolves.toBeUndefined();
  });

  test.each(['yaml=/etc/x', 'yaml=../x', 'yaml=a,../b', 'yaml=.', 'yaml=out/x', 'a=b=/etc/x'])(
    'not %s',
    async (output) => {
      const error = await failureOf(checkCreateOutputs(lab, ['yaml', output]));
      expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field: 'output' }] });
    },
  );
});

describe('the options of a request', () => {
  test.each([
    [{ collectOutput: '..' }, 'collectOutput'],
    [{ collectTar: 'a:b' }, 'collectTar'],
    [{ collectSuffix: 'a b' }, 'collectSuffix'],
    [{ output: ['yaml=..'] }, 'output'],
    [{ limit: '@file' }, 'limit'],
    [{ limit: 'r1,,r2' }, 'limit'],
    [{ nodes: ['r1', 'r2 r3'] }, 'nodes'],
    [{ nodes: ['r1,'] }, 'nodes'],
    [{ nodes: [',r1'] }, 'nodes'],
    [{ template: 'a/{{x}}' }, 'template'],
  ])('%j is refused by name', async (options, field) => {
    expect(await failureOf(checkOptions(options, lab))).toMatchObject({
      code: 'invalid-request',
      errors: [{ field }],
    });
  });

  test.each([
    {},
    { collectOutput: 'cfg', collectTar: 'a.tar', collectSuffix: 'txt', output: ['yaml=x'] },
    { limit: 'r1,h*,x-[12]', nodes: ['r1', 'a.b,c_d', '?'] },
    // Ansible gets its last part alone.
    { template: 'a b/motd' },
  ])('%j is taken', async (options) => {
    await expect(checkOptions(options, lab)).resolves.toBeUndefined();
  });
});
