import { expect, test } from '@jest/globals';
import type { User } from '../../../../src/access/model/user.ts';
import { decoysOf } from '../../../../src/access/passwords/decoy.ts';

const user = (name: string, hash: string | null): User => ({
  name,
  role: 'viewer',
  workdirs: null,
  tokens: [],
  password: hash === null ? null : { kind: 'hash', hash },
});
const names = Array.from({ length: 1_000 }, (_, index) => `nobody-${index}`);
const kindsOf = (users: readonly User[]): string[] => {
  const decoyOf = decoysOf(users);
  return names.map((name) => {
    const decoy = decoyOf(name);
    return decoy?.kind === 'hash' ? decoy.hash.slice(0, 7) : 'none';
  });
};

const bcrypt = (index: number) => user(`b${index}`, `$2y$12$${index}`);
const scrypt = (index: number) => user(`s${index}`, `$scrypt$ln=14,r=8,p=1$${index}`);

test('where all passwords are bcrypt, an unknown name is checked against bcrypt of that cost', () => {
  expect(new Set(kindsOf([user('ci', null), bcrypt(0), bcrypt(1)]))).toEqual(new Set(['$2y$12$']));
});

test('each kind of hash stands for its share of the unknown names', () => {
  const kinds = kindsOf([scrypt(0), bcrypt(0), scrypt(1), scrypt(2)]);
  const share = kinds.filter((kind) => kind === '$2y$12$').length / kinds.length;
  expect(share).toBeGreaterThan(0.2);
  expect(share).toBeLessThan(0.3);
});

test('a name keeps its kind when users are added, but for a few names', () => {
  const users = Array.from({ length: 20 }, (_, index) => (index % 2 ? bcrypt(index) : scrypt(index)));
  const [before, after] = [kindsOf(users), kindsOf([...users, scrypt(20)])];
  expect(kindsOf(users)).toEqual(before);
  expect(before.filter((kind, index) => kind !== after[index]).length).toBeLessThan(50);
});

test('there is no decoy if no user has a hash', () => {
  const own: User = { ...user('ops', null), password: { kind: 'plain', text: 'secret' } };
  expect(new Set(kindsOf([own, user('ci', null)]))).toEqual(new Set(['none']));
});
