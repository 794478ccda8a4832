import { describe, expect, test } from '@jest/globals';
import os from 'node:os';
import path from 'node:path';
import { loadConfig, unknownVariables } from '../../../src/config/load-config.ts';
import { configProblemsOf as problemsOf } from '../../support/config-problems.ts';

describe('an identity provider', () => {
  const whole = {
    LAB_API_PUBLIC_URL: 'https://lab.example.com/',
    LAB_API_OIDC_ISSUER: 'https://id.example.com/realms/lab',
    LAB_API_OIDC_CLIENT_ID: 'lab-api',
    LAB_API_OIDC_ROLES: 'admin=cn=netops,dc=example; viewer=*',
  };

  test('has the defaults of the documentation, and names of groups with any characters', () => {
    expect(loadConfig(whole).oidc).toEqual({
      issuer: 'https://id.example.com/realms/lab',
      clientId: 'lab-api',
      clientSecret: undefined,
      scopes: 'openid profile email',
      name: 'single sign-on',
      roles: [
        { role: 'admin', value: 'cn=netops,dc=example' },
        { role: 'viewer', value: '*' },
      ],
      roleClaim: 'groups',
      userClaim: 'preferred_username',
      checkMs: 300_000,
      redirectUrl: 'https://lab.example.com/session/oidc/callback',
      pageUrl: 'https://lab.example.com/ui/',
    });
  });

  test.each<[Record<string, string>, string]>([
    [{ LAB_API_OIDC_ROLES: '' }, 'LAB_API_OIDC_ISSUER: set LAB_API_OIDC_ROLES too; they belong together'],
    [{ LAB_API_OIDC_ISSUER: '' }, 'LAB_API_OIDC_CLIENT_ID is set but LAB_API_OIDC_ISSUER is not'],
    [
      { LAB_API_OIDC_ISSUER: 'http://127.example.com' },
      'LAB_API_OIDC_ISSUER: "http://127.example.com" is not an https URL; http is for an address of this machine alone',
    ],
    [
      { LAB_API_OIDC_ROLES: 'root=netops' },
      'LAB_API_OIDC_ROLES: "root=netops" is not viewer=…, operator=… or admin=… with a value of the claim',
    ],
    [
      { LAB_API_OIDC_ROLES: 'admin=netops; operator=students, viewer=*' },
      'LAB_API_OIDC_ROLES: "operator=students, viewer=*" has more than one role: separate the entries with semicolons',
    ],
    [
      { LAB_API_OIDC_SCOPES: 'profile' },
      'LAB_API_OIDC_SCOPES: must have "openid" (OpenID Connect Core 1.0, section 3.1.2.1): write "openid profile groups"',
    ],
    [
      { LAB_API_PUBLIC_URL: 'lab.example.com' },
      'LAB_API_PUBLIC_URL: must be where browsers reach this server, like https://lab.example.com',
    ],
    [{ LAB_API_BASE_PATH: '/lab' }, 'LAB_API_PUBLIC_URL: must end with LAB_API_BASE_PATH, /lab'],
    [
      {
        LAB_API_USERS_FILE: '/users.yaml',
        LAB_API_TRUSTED_PROXIES: '192.0.2.7',
        LAB_API_PROXY_USER_HEADER: 'X-User',
      },
      'LAB_API_OIDC_ISSUER: LAB_API_PROXY_USER_HEADER is set as well; keep one of the two',
    ],
  ])('%j is wrong', (env, problem) => {
    expect(problemsOf({ ...whole, ...env })).toEqual([problem]);
  });
});

describe('proxies that sign people in', () => {
  const known = { LAB_API_USERS_FILE: '/etc/lab-api/users.yaml' };
  const proxies = (addresses: string, header = 'X-Remote-User') => ({
    ...known,
    LAB_API_TRUSTED_PROXIES: addresses,
    LAB_API_PROXY_USER_HEADER: header,
  });

  test('are addresses and networks, and a header', () => {
    expect(loadConfig(proxies('192.0.2.7, 10.0.0.0/8,2001:db8::/32')).proxy).toEqual({
      addresses: ['192.0.2.7', '10.0.0.0/8', '2001:db8::/32'],
      userHeader: 'x-remote-user',
    });
  });

  test.each([
    'localhost',
    '10.0.0.0/33',
    '2001:db8::/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '10.0/8',
    'fe80::1%eth0',
  ])('%s is no address', (entry) => {
    expect(problemsOf(proxies(entry))).toEqual([
      `LAB_API_TRUSTED_PROXIES: "${entry}" is not an address or a network: write something like 192.0.2.7 or 2001:db8::/32`,
    ]);
  });

  test.each(['0.0.0.0/0', '::/0'])('%s is everybody', (entry) => {
    expect(problemsOf(proxies(entry))).toEqual([
      `LAB_API_TRUSTED_PROXIES: "${entry}" matches every address: name only the proxies`,
    ]);
  });

  test.each([
    ['X Remote User', 'is not the name of a header'],
    ['Authorization', 'has another meaning already'],
    ['x-forwarded-for', 'has another meaning already'],
    ['Cookie', 'has another meaning already'],
  ])('%s is no header for a user', (header, why) => {
    expect(problemsOf(proxies('192.0.2.7', header))).toEqual([
      `LAB_API_PROXY_USER_HEADER: "${header}" ${why}: write something like X-Remote-User`,
    ]);
  });

  test('go together, and with users', () => {
    expect(problemsOf({ ...known, LAB_API_TRUSTED_PROXIES: '192.0.2.7' })).toEqual([
      'LAB_API_TRUSTED_PROXIES is set but LAB_API_PROXY_USER_HEADER is not; they belong together',
    ]);
    expect(problemsOf({ ...known, LAB_API_PROXY_USER_HEADER: 'X-Remote-User' })).toEqual([
      'LAB_API_PROXY_USER_HEADER is set but LAB_API_TRUSTED_PROXIES is not; they belong together',
    ]);
    expect(problemsOf({ ...proxies('192.0.2.7'), LAB_API_USERS_FILE: '' })).toEqual([
      'LAB_API_PROXY_USER_HEADER: the users that it names must be known: set LAB_API_USERS_FILE',
    ]);
  });
});

test('the users file is an absolute path', () => {
  expect(loadConfig({ LAB_API_USERS_FILE: '~/users.yaml' }).usersFile).toBe(
    path.join(os.homedir(), 'users.yaml'),
  );
  expect(
    unknownVariables({ LAB_API_USERS_FILE: 'x', LAB_API_USER_FILE: 'x', LAB_API_USERZ_FILE: 'x' }),
  ).toEqual(['LAB_API_USERZ_FILE']);
});
