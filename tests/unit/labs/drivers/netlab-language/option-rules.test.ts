import { beforeEach, describe, expect, test } from '@jest/globals';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkOptions } from '../../../../../src/labs/drivers/netlab-language/option-rules.ts';
import type { CliOptionValues } from '../../../../../src/labs/model/options.ts';
import { failureOf } from '../../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../../support/temporary-directory.ts';

/** The field that the error names, and the options. */
type Refused = [keyof CliOptionValues, CliOptionValues];

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

describe('the options of a request', () => {
  test.each<Refused>([
    // netlab empties the directory first, and deletes a file of that name.
    ...['.', '/tmp', '../lab2', 'out/x', 'dangling', 'self', 'topology.yml'].map(
      (value) => ['collectOutput', { collectOutput: value }] as Refused,
    ),
    // What Ansible would evaluate.
    ...['a b', "{{lookup('pipe','id')}}", 'a"b', 'x=y', 'a\n'].flatMap((value): Refused[] => [
      ['collectOutput', { collectOutput: value }],
      ['collectSuffix', { collectSuffix: value }],
    ]),
    // `link` gets the end `.tar.gz`.
    ...['../x.tar', '/tmp/x.tar', 'link', 'out/x.tar'].map(
      (value) => ['collectTar', { collectTar: value }] as Refused,
    ),
    ...['yaml=/etc/x', 'yaml=../x', 'yaml=a,../b', 'yaml=.', 'yaml=out/x', 'a=b=/etc/x'].map(
      (value) => ['output', { output: ['yaml', value] }] as Refused,
    ),
    ['limit', { limit: '@file' }],
    ['limit', { limit: 'r1,,r2' }],
    ['nodes', { nodes: ['r1', 'r2 r3'] }],
    ['nodes', { nodes: ['r1,'] }],
    ['nodes', { nodes: [',r1'] }],
    ['template', { template: 'a/{{x}}' }],
  ])('%s is refused: %j', async (field, options) => {
    expect(await failureOf(checkOptions(options, lab))).toMatchObject({
      code: 'invalid-request',
      errors: [{ field }],
    });
  });

  test.each<CliOptionValues>([
    {},
    { collectOutput: 'cfg', collectTar: 'a.tar', collectSuffix: 'txt', output: ['yaml=x'] },
    { collectOutput: 'inside/cfg', collectTar: 'inside/a', output: ['yaml', 'd2=-', 'yaml='] },
    { collectOutput: './a/../..cfg', output: ['json:nodes=real/out.json'] },
    { limit: 'r1,h*,x-[12]', nodes: ['r1', 'a.b,c_d', '?'] },
    // Ansible gets its last part alone.
    { template: 'a b/motd' },
  ])('%j is taken', async (options) => {
    await expect(checkOptions(options, lab)).resolves.toBeUndefined();
  });
});
