import { describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadConfig, meantVariable, unknownVariables } from '../../../src/config/load-config.ts';
import { configProblemsOf as problemsOf } from '../../support/config-problems.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();

function file(name: string, content: string): string {
  const place = path.join(directory, name);
  writeFileSync(place, content);
  return place;
}

describe('flags', () => {
  test.each([
    { flag: 'bind', variable: 'LAB_API_BIND', value: '::1', other: '::2' },
    { flag: 'port', variable: 'LAB_API_PORT', value: '99', other: '1' },
    { flag: 'cli', variable: 'LAB_API_CLI', value: '/bin/lab', other: '/from-env' },
    { flag: 'dataDir', variable: 'LAB_API_DATA_DIR', value: '/data', other: '/from-env' },
  ] as const)('--$flag beats $variable', ({ flag, variable, value, other }) => {
    const env = { [variable]: other };
    expect(String(loadConfig(env, { [flag]: value })[flag])).toBe(value);
    expect(String(loadConfig(env)[flag])).toBe(other);
  });

  test('beat user, password, certificate and key of the environment', () => {
    const env = { LAB_API_USER: 'a', LAB_API_PASSWORD: 'b', LAB_API_TLS_CERT: '/c', LAB_API_TLS_KEY: '/d' };
    const flags = { authUser: 'A', authPassword: 'B', tlsCert: '/C', tlsKey: '~/D' };
    expect(loadConfig(env, flags)).toMatchObject({
      auth: { user: 'A', password: 'B' },
      tls: { certFile: '/C', keyFile: path.join(os.homedir(), 'D') },
    });
  });

  test('replace a bad variable, and are named when they are bad themselves', () => {
    expect(loadConfig({ LAB_API_PORT: 'bad' }, { port: '7' }).port).toBe(7);
    expect(problemsOf({ LAB_API_PORT: '7' }, { port: 'bad' })).toEqual([
      expect.stringMatching(/^--port \(LAB_API_PORT\): "bad" /),
    ]);
  });

  test.each([
    ['port', '--port (LAB_API_PORT)'],
    ['dataDir', '--data-dir (LAB_API_DATA_DIR)'],
    ['authPassword', '--auth-password (LAB_API_PASSWORD)'],
  ])('%s must not be empty', (flag, name) => {
    expect(problemsOf({}, { [flag]: '' })[0]).toBe(`${name}: the value is empty`);
  });
});

describe('pairs', () => {
  test.each([
    ['LAB_API_USER', 'LAB_API_PASSWORD (or LAB_API_PASSWORD_FILE)'],
    ['LAB_API_PASSWORD', 'LAB_API_USER (or LAB_API_USER_FILE)'],
    ['LAB_API_TLS_CERT', 'LAB_API_TLS_KEY'],
    ['LAB_API_TLS_KEY', 'LAB_API_TLS_CERT'],
  ])('%s without %s is refused', (given, missing) => {
    const problems = problemsOf({ [given]: 'the-value' });
    expect(problems).toEqual([`${given} is set but ${missing} is not; they belong together`]);
  });

  test('may come from different places', () => {
    const env = { LAB_API_PASSWORD_FILE: file('pw', 'secret') };
    expect(loadConfig(env, { authUser: 'u' }).auth).toEqual({ user: 'u', password: 'secret' });
    expect(problemsOf(env)).toEqual([
      'LAB_API_PASSWORD_FILE is set but LAB_API_USER (or LAB_API_USER_FILE) is not; they belong together',
    ]);
  });

  test('a user name with a colon could never log in', () => {
    expect(problemsOf({ LAB_API_USER: 'a:b', LAB_API_PASSWORD: 'p' })).toEqual([
      'LAB_API_USER: a user name cannot contain a colon',
    ]);
  });

  test.each([
    ['a\tb', 'p'],
    ['a', 'p\u001bq'],
    ['a', 'two lines\nof it'],
  ])('nor could %j with the password %j: no client may send control characters', (user, password) => {
    expect(problemsOf({ LAB_API_USER: user, LAB_API_PASSWORD: password })).toEqual([
      'LAB_API_USER, LAB_API_PASSWORD: control characters cannot be sent by a client (RFC 7617, section 2)',
    ]);
  });
});

describe('secrets from files', () => {
  test.each([
    ['secret', 'secret'],
    ['secret\n', 'secret'],
    ['secret\r\n', 'secret'],
    [' sécret ', ' sécret '],
  ])('%j gives %j', (content, expected) => {
    const env = { LAB_API_USER: 'u', LAB_API_PASSWORD_FILE: file('secret', content) };
    expect(loadConfig(env).auth?.password).toBe(expected);
  });

  test('one that is missing, empty or a directory is refused and named', () => {
    for (const place of ['/no/such/file', directory, file('empty', ''), file('newline', '\n')]) {
      const problems = problemsOf({ LAB_API_USER: 'u', LAB_API_PASSWORD_FILE: place });
      expect(problems).toEqual([expect.stringMatching(/^LAB_API_PASSWORD_FILE: (cannot read|.* is empty)/)]);
    }
  });

  test('both variable and file are refused, without a word of the secrets', () => {
    const env = {
      LAB_API_USER: 'u',
      LAB_API_PASSWORD: 'hush-1',
      LAB_API_PASSWORD_FILE: file('both', 'hush-2'),
    };
    const problems = problemsOf(env);
    expect(problems).toEqual(['LAB_API_PASSWORD_FILE: LAB_API_PASSWORD is set as well; keep one of the two']);
    expect(problems.join()).not.toContain('hush');
  });

  test('a flag beats a file, which is then not even read', () => {
    const env = { LAB_API_USER: 'u', LAB_API_PASSWORD_FILE: '/no/such/file' };
    expect(loadConfig(env, { authPassword: 'p' }).auth).toEqual({ user: 'u', password: 'p' });
  });
});

describe('SSH_CONNECTION', () => {
  test.each([
    ['192.0.2.7 51234 198.51.100.1 22', '198.51.100.1'],
    ['2001:db8::7 51234 2001:db8::1 22', '2001:db8::1'],
    ['fe80::7%eth0 51234 fe80::1%eth0 22', 'fe80::1%eth0'],
    ['  192.0.2.7   51234\t198.51.100.1 22 ', '198.51.100.1'],
    [undefined, undefined],
    ['', undefined],
    ['garbage', undefined],
    ['192.0.2.7 51234', undefined],
    ['192.0.2.7 51234 server.example 22', undefined],
    ['192.0.2.7 51234 198.51.100.999 22', undefined],
    ['UNKNOWN 0 UNKNOWN 0', undefined],
  ])('%j means %j', (connection, expected) => {
    expect(loadConfig({ SSH_CONNECTION: connection }).bind).toBe(expected ?? '127.0.0.1');
  });

  test('yields to the variable and to the flag', () => {
    const env = { SSH_CONNECTION: '192.0.2.7 51234 198.51.100.1 22', LAB_API_BIND: '192.0.2.1' };
    expect(loadConfig(env).bind).toBe('192.0.2.1');
    expect(loadConfig(env, { bind: '::' }).bind).toBe('::');
  });
});

test('misspelt variables are found, and nothing else', () => {
  const env = {
    LAB_API_PORTT: '1',
    LAB_API_PORT: '1',
    LAB_API_PASSWORD_FILE: '/x',
    LAB_API_URL: 'http://lab',
    LAB_API_TOKEN_FILE: '/x',
    LAB_API_AUDIT_FILE: '/x',
    LAB_API_PORT_FILE: '/x',
    LAB_API_: '',
    LAB_APIPORT: '1',
    PATH: '/bin',
  };
  expect(unknownVariables(env)).toEqual(['LAB_API_PORTT', 'LAB_API_PORT_FILE', 'LAB_API_']);
});

test.each([
  { unknown: 'LAB_API_PORTT', meant: 'LAB_API_PORT' },
  { unknown: 'LAB_API_PASWORD_FILE', meant: 'LAB_API_PASSWORD_FILE' },
  { unknown: 'LAB_API_COLOUR', meant: undefined },
])('$unknown was probably meant to be $meant', ({ unknown, meant }) => {
  expect(meantVariable(unknown)).toBe(meant);
});

test('a pipe as a password file is refused, not waited for', () => {
  const pipe = path.join(directory, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => loadConfig({ LAB_API_USER: 'u', LAB_API_PASSWORD_FILE: pipe })).toThrow(
    'LAB_API_PASSWORD_FILE: cannot read the file: it is not a regular file',
  );
});
