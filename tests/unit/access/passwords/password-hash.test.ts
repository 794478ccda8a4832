import { describe, expect, test } from '@jest/globals';
import { hashPassword, hashProblem, isPassword } from '../../../../src/access/passwords/password-hash.ts';

const hash = (text: string) => ({ kind: 'hash', hash: text }) as const;

/** RFC 7914, section 12: the third example, as a PHC string. */
const ofRfc =
  '$scrypt$ln=14,r=8,p=1$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofLVQylVYT8Pz2LUlwUkKpr55h6F3A1lHkDfzwF7RVdYhw';
/** crypt(3) of libxcrypt made the body. */
const bcrypt = (version: string, cost = '04'): string =>
  `$2${version}$${cost}$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e`;
/** Of 72 letters x, by crypt(3) too. */
const ofLong = '$2y$04$abcdefghijklmnopqrstuubzadhGtS2zEF.gu0yd0opP6cVzb.e0i';

describe('a new hash', () => {
  test('is scrypt in PHC format, with a salt of its own each time', async () => {
    const [one, other] = [await hashPassword('secret'), await hashPassword('secret')];
    expect(one).toMatch(/^\$scrypt\$ln=14,r=8,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(other).not.toBe(one);
    expect(hashProblem(one)).toBeUndefined();
  });

  test.each(['secret', 'ünïcödé 🔑', ' spaces ', '', 'x'.repeat(10_000)])('checks %p', async (text) => {
    const kept = hash(await hashPassword(text));
    expect(await isPassword(kept, text)).toBe(true);
    expect(await isPassword(kept, `${text}.`)).toBe(false);
  });
});

describe('hashes of other programs', () => {
  test('scrypt as RFC 7914 has it', async () => {
    expect(hashProblem(ofRfc)).toBeUndefined();
    expect(await isPassword(hash(ofRfc), 'pleaseletmein')).toBe(true);
    expect(await isPassword(hash(ofRfc), 'pleaseletmeiN')).toBe(false);
  });

  test.each(['a', 'b', 'y'])('bcrypt $2%s$', async (version) => {
    expect(hashProblem(bcrypt(version))).toBeUndefined();
    expect(await isPassword(hash(bcrypt(version)), 'correct horse')).toBe(true);
    expect(await isPassword(hash(bcrypt(version)), 'correct horsE')).toBe(false);
  });

  test('bcrypt knows 72 bytes of a password, as the program that made the hash', async () => {
    expect(await isPassword(hash(ofLong), 'x'.repeat(72))).toBe(true);
    expect(await isPassword(hash(ofLong), 'x'.repeat(80))).toBe(true);
    expect(await isPassword(hash(ofLong), 'x'.repeat(71))).toBe(false);
  });

  test('bcrypt does its work in a thread of its own', async () => {
    let [turns, isChecking] = [0, true];
    const count = (): void => {
      turns += 1;
      if (isChecking) setImmediate(count);
    };
    count();
    await isPassword(hash(bcrypt('y', '10')), 'correct horse');
    isChecking = false;
    // Thousands; on the loop itself, bcryptjs leaves one for each 100 ms.
    expect(turns).toBeGreaterThan(20);
  });
});

describe('what no password fits', () => {
  const scrypt = (parameters: string): string =>
    `$scrypt$${parameters}$U29kaXVtQ2hsb3JpZGU$cCO9yzr9c0hGHAbNgf046/2o+7qQT44+qbVD9lRdofI`;

  test.each([
    ['plain text', 'is neither a scrypt hash nor one of bcrypt'],
    ['$apr1$salt$hash', 'is neither a scrypt hash nor one of bcrypt'],
    ['$2y$10$short', 'is no bcrypt hash'],
    [bcrypt('x'), 'is no bcrypt hash'],
    [bcrypt('y', '03'), 'is a bcrypt hash of a cost below 4, which is none'],
    [bcrypt('y', '15'), 'is a bcrypt hash of cost 15: more than 14 takes too long to check'],
    [scrypt('ln=9,r=8,p=1'), 'is a scrypt hash that costs too little to guess'],
    [scrypt('ln=14,r=8,p=0'), 'is a scrypt hash that costs too little to guess'],
    [scrypt('ln=18,r=8,p=1'), 'is a scrypt hash that costs too much to check'],
    [scrypt('ln=17,r=9,p=1'), 'is a scrypt hash that costs too much to check'],
    [scrypt('ln=10,r=1,p=999'), undefined],
    [scrypt('ln=15,r=8,p=5'), 'is a scrypt hash that costs too much to check'],
    [scrypt('ln=99,r=999,p=999'), 'is a scrypt hash that costs too much to check'],
    ['$scrypt$ln=15,r=8,p=1$U29kaXVtQ2hsb3JpZGU$', 'is no scrypt hash in PHC format'],
    ['$scrypt$ln=15,r=8,p=1$$cCO9yzr9c0hGHAbNgf046/2o+7qQT44', 'is no scrypt hash in PHC format'],
  ])('%s', async (text, problem) => {
    expect(hashProblem(text)).toBe(problem);
    expect(await isPassword(hash(text), 'correct horse')).toBe(false);
    expect(await isPassword(hash(text), '')).toBe(false);
  });
});

test('a password that is kept as it is', async () => {
  const kept = { kind: 'plain', text: 'pässword' } as const;
  expect(await isPassword(kept, 'pässword')).toBe(true);
  expect(await isPassword(kept, 'pässwor')).toBe(false);
  expect(await isPassword(kept, '')).toBe(false);
});
