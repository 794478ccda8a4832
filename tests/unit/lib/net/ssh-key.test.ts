import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parseSshKey, stringsIn } from '../../../../src/lib/net/ssh-key.ts';

const lineOf = (name: string): string => readFileSync(`tests/fixtures/ssh-keys/${name}.pub`, 'utf8');

/** Each fingerprint is that of `ssh-keygen -l`. */
test.each([
  ['ed25519-256', 'ssh-ed25519', 'SHA256:sNEUrOb+BVoUH6mae7IDAJOgHv+ve98ankb7LCCu4Ws'],
  ['ecdsa-256', 'ecdsa-sha2-nistp256', 'SHA256:dYFnxaPZQj1UtyW7/iEJhaODRwqEWFF/NA59Wr3GlBQ'],
  ['ecdsa-384', 'ecdsa-sha2-nistp384', 'SHA256:R/Gdcit34CHJ8mZrwPVvIjpoG9GwWYIc8RXh2m/PNq0'],
  ['ecdsa-521', 'ecdsa-sha2-nistp521', 'SHA256:zs2xCOw2xC1m5cz+raG28lX3BcW2a+hkXPFbw0fMTNw'],
  ['rsa-2048', 'ssh-rsa', 'SHA256:NEdbARM6b3RiX+QT/m3lY/WC4jDcq6zQbMd4zAHmRao'],
])('%s is read', (name, type, fingerprint) => {
  const line = lineOf(name);
  expect(parseSshKey(line)).toEqual({
    type,
    fingerprint,
    comment: name,
    line: line.split(' ').slice(0, 2).join(' '),
  });
});

describe('other text is refused with the reason', () => {
  const [type = '', base64 = ''] = lineOf('ed25519-256').split(' ');
  const damaged = 'is damaged: copy the whole line of the .pub file';
  test.each([
    ['', 'must be a line of a .pub file that begins with ssh-ed25519'],
    [`no-pty ${type} ${base64}`, 'must be a line of a .pub file'],
    ['ssh-dss AAAAB3NzaC1kc3M=', 'must be a line of a .pub file'],
    ['-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA', 'is a private key: give the line of the .pub file'],
    [type, damaged],
    [`${type} ${base64.slice(0, -4)}`, damaged],
    [`${type} ${base64}AAAA`, damaged],
    [`${type} ${base64.replace('A', '*')}`, damaged],
    [`ssh-rsa ${base64}`, damaged],
    [`ecdsa-sha2-nistp384 ${lineOf('ecdsa-256').split(' ')[1]}`, damaged],
    [lineOf('rsa-1024'), 'must have at least 2048 bits, and has 1024'],
  ])('%j', (line, problem) => {
    expect(parseSshKey(line)).toEqual({ problem: expect.stringContaining(problem) });
  });
});

test('strings that are longer than the bytes are none', () => {
  expect(stringsIn(Buffer.from([0, 0, 0, 1, 7, 0, 0, 0, 0]))).toEqual([Buffer.from([7]), Buffer.alloc(0)]);
  for (const bytes of [
    [0, 0, 0],
    [0, 0, 0, 2, 7],
    [255, 255, 255, 255],
  ])
    expect(stringsIn(Buffer.from(bytes))).toBeUndefined();
});
