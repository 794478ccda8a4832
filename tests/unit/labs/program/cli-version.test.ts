import { beforeEach, expect, test } from '@jest/globals';
import { rmSync, writeFileSync } from 'node:fs';
import { CliVersion } from '../../../../src/labs/program/cli-version.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { deferred, type Deferred } from '../../../../src/lib/async/deferred.ts';
import { emptyPlace, temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
let file: string;
let asked: Deferred<string | undefined>[];
let version: CliVersion;

beforeEach(() => {
  ({ file } = emptyPlace(root));
  writeFileSync(file, 'one');
  asked = [];
  version = new CliVersion(async () => {
    const answer = deferred<string | undefined>();
    asked.push(answer);
    return answer.promise;
  });
});

const cli = () => ({ name: 'netlab', file, binDirs: [], driver: netlab });

test('it is asked for once, and again when the program is another one', async () => {
  const both = Promise.all([version.of(cli()), version.of(cli())]);
  asked[0]?.resolve('1.0');
  expect(await both).toEqual(['1.0', '1.0']);
  writeFileSync(file, 'another');
  const later = version.of(cli());
  asked[1]?.resolve('2.0');
  expect([await later, asked.length]).toEqual(['2.0', 2]);
});

test('of a program that is not there, it is asked for once, too, and again by another path', async () => {
  rmSync(file);
  for (const answer of [version.of(cli()), version.of(cli())]) void answer;
  expect(asked).toHaveLength(1);
  void version.of({ ...cli(), file: `${file}2` });
  expect(asked).toHaveLength(2);
});

test('what it has said is told without a wait, but not of the program that was there before', async () => {
  expect(version.toldBy(cli())).toBeUndefined();
  asked[0]?.resolve('1.0');
  await version.of(cli());
  expect([version.toldBy(cli()), asked.length]).toEqual(['1.0', 1]);
  writeFileSync(file, 'another');
  expect([version.toldBy(cli()), asked.length]).toEqual([undefined, 2]);
});

test('an answer that comes after the program was replaced is not taken for that of the new one', async () => {
  const first = version.of(cli());
  writeFileSync(file, 'another');
  const second = version.of(cli());
  asked[1]?.resolve('2.0');
  await second;
  asked[0]?.resolve('1.0');
  await first;
  expect(version.toldBy(cli())).toBe('2.0');
});
