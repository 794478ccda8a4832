import { expect, test } from '@jest/globals';
import { checkClock } from '../../../src/doctor/clock.ts';
import { programDirectory, subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
const withTimedatectl = (script: string) =>
  subjectOf({ PATH: programDirectory(root, { timedatectl: script }) });

test('before this program was built', async () => {
  expect(await checkClock(subjectOf({}), Date.parse('2020-01-01'))).toMatchObject({
    kind: 'failed',
    detail: expect.stringMatching(/^it is 2020-01-01T.*, before this program was built/),
  });
});

test.each([
  { name: 'synchronised', script: 'echo yes', kind: 'ok', detail: /, synchronised$/ },
  { name: 'not synchronised', script: 'echo no', kind: 'warning', detail: /, not synchronised/ },
  {
    name: 'nobody tells: no systemd',
    script: 'echo "not booted with systemd" >&2; exit 1',
    kind: 'ok',
    detail: /it is unknown whether/,
  },
  {
    name: 'nobody tells: an answer that is none',
    script: 'echo maybe',
    kind: 'ok',
    detail: /it is unknown whether/,
  },
])('$name', async ({ script, kind, detail }) => {
  expect(await checkClock(withTimedatectl(script))).toMatchObject({
    kind,
    detail: expect.stringMatching(detail),
  });
});

test('without timedatectl', async () => {
  expect((await checkClock(subjectOf({ PATH: '/nowhere' }))).kind).toBe('ok');
});
