import { describe, expect, test } from '@jest/globals';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { checkTls } from '../../../src/doctor/tls.ts';
import { makePair, opensslMissing } from '../../support/certificates.ts';
import { subjectOf } from '../../support/doctor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const file = (name: string): string => path.join(directory, name);
const subject = (cert: string, key: string) => subjectOf({ LAB_API_TLS_CERT: cert, LAB_API_TLS_KEY: key });
const daysMs = (count: number): number => count * 24 * 3_600_000;

test('off', async () => {
  expect(await checkTls(subjectOf({}))).toEqual({ kind: 'ok', detail: 'off: plain HTTP' });
});

test('off, with a password that others may read on the way', async () => {
  const env = { LAB_API_USER: 'lab', LAB_API_PASSWORD: 'a long password' };
  expect(await checkTls(subjectOf(env))).toMatchObject({ kind: 'ok' });
  expect(await checkTls(subjectOf({ ...env, LAB_API_BIND: '0.0.0.0' }))).toMatchObject({
    kind: 'warning',
    detail: 'off: the password can be read from the traffic to 0.0.0.0',
    remedy: expect.stringContaining('LAB_API_TLS=self-signed'),
  });
});

(opensslMissing === undefined ? describe : describe.skip)(
  `with certificates (${opensslMissing ?? 'openssl'})`,
  () => {
    const names = { cert: file('one.cert.pem'), key: file('one.key.pem'), other: file('two.key.pem') };
    if (opensslMissing === undefined) {
      // They are valid for two days from now.
      makePair(directory, 'one');
      makePair(directory, 'two');
    }
    const pair = subject(names.cert, names.key);

    test.each<{ name: string; offsetMs: number; kind: string; detail: RegExp }>([
      {
        name: 'a pair that ends soon',
        offsetMs: 0,
        kind: 'warning',
        detail: /the certificate expires on 20\d\d-\d\d-\d\d/,
      },
      {
        name: 'one that has ended',
        offsetMs: daysMs(3),
        kind: 'failed',
        detail: /the certificate expired on 20/,
      },
      {
        name: 'one that does not count yet',
        offsetMs: -daysMs(3),
        kind: 'failed',
        detail: /the certificate is valid from 20.* on/,
      },
    ])('$name', async ({ offsetMs, kind, detail }) => {
      expect(await checkTls(pair, Date.now() + offsetMs)).toMatchObject({
        kind,
        detail: expect.stringMatching(detail),
      });
    });

    test('the key of another certificate', async () => {
      const finding = await checkTls(subject(names.cert, names.other));
      const detail = `the key ${names.other} does not belong to the certificate ${names.cert}`;
      expect(finding).toMatchObject({ kind: 'failed', detail, remedy: expect.any(String) });
    });

    test.each<{ name: string; files: () => [string, string]; detail: RegExp }>([
      {
        name: 'no certificate there',
        files: () => [file('none'), names.key],
        detail: /^the certificate is not usable: ENOENT/,
      },
      {
        name: 'no key there',
        files: () => [names.cert, file('none')],
        detail: /^the key is not usable: ENOENT/,
      },
      {
        name: 'a key for a certificate',
        files: () => [names.key, names.key],
        detail: /^the certificate is not usable: /,
      },
      {
        name: 'a certificate for a key',
        files: () => [names.cert, names.cert],
        detail: /^the key is not usable: /,
      },
      {
        name: 'a directory',
        files: () => [directory, names.key],
        detail: /^the certificate is not usable: EISDIR/,
      },
      {
        name: 'rubbish',
        files: () => {
          writeFileSync(file('rubbish'), 'rubbish');
          return [file('rubbish'), names.key];
        },
        detail: /^the certificate is not usable: .*rubbish is not a PEM file$/,
      },
    ])('$name', async ({ files, detail }) => {
      expect(await checkTls(subject(...files()))).toMatchObject({
        kind: 'failed',
        detail: expect.stringMatching(detail),
      });
    });

    test('a pair for a month, with a key that is private, and with one that everybody may read', async () => {
      makePair(directory, 'month', 30);
      const key = file('month.key.pem');
      const month = subject(file('month.cert.pem'), key);
      chmodSync(key, 0o600);
      expect(await checkTls(month)).toMatchObject({
        kind: 'ok',
        detail: expect.stringMatching(/^CN=month, until 20/),
      });
      chmodSync(key, 0o644);
      expect(await checkTls(month)).toMatchObject({ kind: 'warning', remedy: `chmod o-r ${key}` });
    });
  },
);
