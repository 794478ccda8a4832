import { expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config.ts';

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
