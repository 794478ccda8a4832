import { beforeEach, expect, test } from '@jest/globals';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import { LabTests } from '../../../../src/labs/status/lab-tests.ts';
import { printed } from '../../../support/run-result.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();
const table = readFileSync(path.resolve(__dirname, '../../../fixtures/netlab/validate/list.txt'), 'utf8');
let directory: string;
let link: string;
let version: string;
let runs: string[];

beforeEach(() => {
  directory = mkdtempSync(path.join(root, 'lab-'));
  link = `${directory}-link`;
  symlinkSync(directory, link);
  version = '1';
  runs = [];
});

const testsOf = (roots: readonly string[] = []) =>
  new LabTests({
    status: {
      directoryOf: (id) => Promise.resolve(id === 'demo' ? link : undefined),
      get version() {
        return version;
      },
    },
    cli: () => ({ name: 'netlab', file: '/bin/netlab', binDirs: [], driver: netlab }),
    roots: new AllowedRoots(roots),
    runIn: ({ file }, where, args) => {
      runs.push(`${file} ${args.join(' ')} in ${where}`);
      return Promise.resolve(printed(table));
    },
  });

test('one run is for everybody who asks, until a lab may have changed', async () => {
  const tests = testsOf();
  const [one, two] = await Promise.all([tests.of('demo'), tests.of('demo')]);
  expect(one.length).toBeGreaterThan(1);
  expect(two).toEqual(one);
  expect(runs).toEqual([`/bin/netlab validate --list in ${directory}`]);
  version = '2';
  await tests.of('demo');
  expect(runs).toHaveLength(2);
});

test('a lab that is not there, and one outside the roots, has none, and nothing is run', async () => {
  expect(await failureOf(testsOf().of('other'))).toMatchObject({ code: 'instance-not-found' });
  expect(await failureOf(testsOf(['/etc']).of('demo'))).toMatchObject({
    code: 'forbidden-path',
    errors: [{ field: 'lab "demo"' }],
  });
  rmSync(directory, { recursive: true });
  const gone = await failureOf(testsOf().of('demo'));
  expect(gone).toMatchObject({ code: 'topology-not-found' });
  expect(gone.message).toContain(`(${link}) is not there`);
  expect(runs).toEqual([]);
});
