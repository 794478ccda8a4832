import { expect, test } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkTls } from '../../../src/doctor/tls.ts';
import { certificateNames } from '../../../src/tls/certificate-names.ts';
import { trustFileOf } from '../../../src/tls/kept-certificate.ts';
import { subjectOf } from '../../support/doctor.ts';
import { dayMs, plantPair } from '../../support/self-signed.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();

function place() {
  const dataDir = mkdtempSync(path.join(root, 'data-'));
  const subject = subjectOf({ LAB_API_TLS: 'self-signed', LAB_API_DATA_DIR: dataDir });
  const file = path.join(dataDir, 'tls', 'self-signed.pem');
  const plant = async (madeMs = Date.now()) =>
    plantPair(dataDir, await certificateNames(subject.config), madeMs);
  return { dataDir, subject, file, plant };
}

test('none yet: the first start creates one', async () => {
  const { subject, file } = place();
  const detail = `self-signed: the first start creates ${trustFileOf(file)} for clients`;
  expect(await checkTls(subject)).toEqual({ kind: 'ok', detail });
});

test('a good one: its end, and what clients are to be given', async () => {
  const { subject, file, plant } = place();
  await plant();
  expect(await checkTls(subject)).toMatchObject({
    kind: 'ok',
    detail: expect.stringMatching(
      new RegExp(
        `^self-signed, until 20\\d\\d-\\d\\d-\\d\\d; for clients: ${trustFileOf(file)}, or sha256//`,
      ),
    ),
  });
});

test('one that a running service should have renewed', async () => {
  const { subject, plant } = place();
  await plant(Date.now() - 800 * dayMs);
  expect(await checkTls(subject)).toMatchObject({
    kind: 'warning',
    detail: expect.stringMatching(/^the self-signed certificate is due for renewal: its last day is 20/),
    remedy: expect.stringContaining('restart the service'),
  });
});

test('one that others may read', async () => {
  const { subject, file, plant } = place();
  await plant();
  chmodSync(file, 0o640);
  expect(await checkTls(subject)).toMatchObject({ kind: 'warning', remedy: `chmod 0600 ${file}` });
});

test('a damaged one, and one that cannot be read', async () => {
  const { subject, file, plant } = place();
  await plant();
  writeFileSync(file, 'rubbish');
  expect(await checkTls(subject)).toMatchObject({
    kind: 'warning',
    detail: expect.stringMatching(/^the self-signed certificate is damaged: .* is not a PEM file$/),
  });
  const other = place();
  mkdirSync(other.file, { recursive: true });
  expect(await checkTls(other.subject)).toMatchObject({
    kind: 'failed',
    detail: expect.stringMatching(/^the self-signed certificate cannot be read: EISDIR/),
  });
});
