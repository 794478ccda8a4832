import { expect, test } from '@jest/globals';
import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openLogins, unusedLogins } from '../../../src/config/git-credentials.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();

const gitOf = (env: Readonly<Record<string, string>>) => loadConfig(env).git;

test('hosts and logins for Git come from the settings', () => {
  const logins = ['# of the course', 'https://bot:a%2Fb@git.example', ' https://b:%zz@c.example:8443/labs/ '];
  expect(gitOf({ LAB_API_GIT_HOSTS: 'Git.Example, b', LAB_API_GIT_CREDENTIALS: logins.join('\n') })).toEqual({
    hosts: ['git.example', 'b'],
    credentials: [
      { url: 'https://git.example/', user: 'bot', password: 'a/b' },
      { url: 'https://c.example:8443/labs/', user: 'b', password: '%zz' },
    ],
  });
});

test.each([
  'http://bot:secret@git.example',
  'bot:secret@git.example',
  'https://secret@git.example',
  'https://bot:secret@git.example/?secret',
])('a login that is none is refused, without its words: %s', (login) => {
  const load = (): unknown => gitOf({ LAB_API_GIT_CREDENTIALS: `https://a:b@c.example ${login}` });
  expect(load).toThrow('LAB_API_GIT_CREDENTIALS: entry 2 is not https://USER:PASSWORD@HOST');
  expect(load).not.toThrow('secret');
});

test.each(['https://git.example', 'a b', '*.example', 'git.example/labs', 'bot@git.example'])(
  'what is no host is refused: %s',
  (host) => {
    const load = (): unknown => gitOf({ LAB_API_GIT_HOSTS: `c.example, ${host}` });
    expect(load).toThrow(`LAB_API_GIT_HOSTS: "${host}" is not a host: write names like git.example.com`);
  },
);

test('a login for a host that is not named is reported, without its words', () => {
  const logins = 'https://a:b@c.example:8443/labs https://a:b@d.example https://a:b@[::1]:8443';
  const [hosts, one] = ['c.example, [::1]:443', 'LAB_API_GIT_CREDENTIALS has a login for '];
  const unused = (env: Readonly<Record<string, string>>): string[] =>
    unusedLogins(gitOf({ LAB_API_GIT_CREDENTIALS: logins, ...env }));
  expect(unused({ LAB_API_GIT_HOSTS: hosts })).toEqual([
    `${one}d.example, which LAB_API_GIT_HOSTS does not name`,
  ]);
  expect(unused({})).toHaveLength(3);
  expect(unused({ LAB_API_GIT_HOSTS: 'c.example, d.example, ::1' })).toEqual([]);
});

test('a file of logins that all users can read is reported', () => {
  const file = path.join(directory, 'logins');
  writeFileSync(file, 'https://a:b@c.example\n');
  chmodSync(file, 0o640);
  expect([openLogins(file), openLogins(undefined), openLogins(`${file}.gone`)]).toEqual([[], [], []]);
  chmodSync(file, 0o644);
  expect(openLogins(file)).toEqual([
    expect.stringContaining(`can read the logins in ${file}: chmod o= ${file}`),
  ]);
});
