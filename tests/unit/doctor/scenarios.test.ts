import { expect, test } from '@jest/globals';
import { checkScenarios } from '../../../src/doctor/scenarios.ts';
import { programDirectory, subjectOf } from '../../support/doctor.ts';
import { requirement, testUnless } from '../../support/requirements.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const { it, because } = testUnless(requirement('fping').missing);

it(`tells the version of fping${because}`, async () => {
  const subject = subjectOf({ PATH: programDirectory(root, {}, ['fping']) });
  expect(await checkScenarios(subject)).toEqual({
    kind: 'ok',
    detail: expect.stringMatching(/^fping: Version \d/),
  });
});

test('without fping, scenarios have no probes', async () => {
  expect(await checkScenarios(subjectOf({ PATH: programDirectory(root, {}) }))).toEqual({
    kind: 'warning',
    detail: 'not on PATH: fping, which sends the probes of scenarios',
    remedy: 'install fping',
  });
});
