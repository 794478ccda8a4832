import { expect, test } from '@jest/globals';
import { newToken } from '../../../../src/access/users/new-token.ts';
import { sha256Of } from '../../../../src/lib/text/sha256.ts';

test('a secret names its token, has 256 random bits, and is not kept', () => {
  const { token, secret } = newToken({ note: 'nightly', expiresAtMs: null });
  expect(secret).toMatch(/^tok_[0-9a-f]{8}_[A-Za-z0-9_-]{43}$/);
  expect(secret).toContain(`${token.id}_`);
  expect(token).toEqual({ id: token.id, sha256: sha256Of(secret), note: 'nightly', expiresAtMs: null });
  expect(newToken({ note: null, expiresAtMs: null }).secret).not.toBe(secret);
});

test('the digest is SHA-256 in hexadecimal (FIPS 180-2, appendix B.1)', () => {
  expect(sha256Of('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});
