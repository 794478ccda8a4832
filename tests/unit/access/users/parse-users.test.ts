import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { parseYaml, usersFileOf } from '../../../../src/access/users/parse-users.ts';
import { UsersFileError } from '../../../../src/access/users/users-file-error.ts';

function problemsOf(text: string, own?: string): readonly string[] {
  try {
    usersFileOf(parseYaml(text), own);
  } catch (error) {
    if (error instanceof UsersFileError) return error.problems;
    throw error;
  }
  return [];
}

const sha256 = 'ab'.repeat(32);
const user = (rest: string): string => `users:\n  - name: ci\n    role: operator\n    ${rest}\n`;
const token = (rest: string): string => user(`tokens: [{ id: tok_8f3a, sha256: "${sha256}", ${rest} }]`);

test('all that a user may have', () => {
  const bcrypt = '$2y$05$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e';
  const text = `# who may do what
users:
  - name: "José Ω 🔑"
    role: admin
    password: ${bcrypt}
  - { name: eva, role: viewer, password: null, tokens: null, workdirs: null }
  - name: ci
    role: operator
    tokens:
      - { id: tok_8f3a, sha256: "${sha256.toUpperCase()}" }
      - { id: tok_12345678, sha256: "${sha256}", note: "", expiresAt: "2027-01-01T02:00:00+02:00" }
    workdirs: [/labs/./x/../ci, /srv]
`;
  expect(usersFileOf(parseYaml(text)).users).toEqual([
    {
      name: 'José Ω 🔑',
      role: 'admin',
      password: { kind: 'hash', hash: bcrypt },
      tokens: [],
      workdirs: null,
    },
    { name: 'eva', role: 'viewer', password: null, tokens: [], workdirs: null },
    {
      name: 'ci',
      role: 'operator',
      password: null,
      tokens: [
        { id: 'tok_8f3a', sha256, note: null, expiresAtMs: null },
        { id: 'tok_12345678', sha256, note: '', expiresAtMs: Date.UTC(2027, 0, 1) },
      ],
      workdirs: ['/labs/ci', '/srv'],
    },
  ]);
});

describe('keys', () => {
  const key = (name: string): string => readFileSync(`tests/fixtures/ssh-keys/${name}.pub`, 'utf8').trim();
  const keysOf = (name: string, ...keys: readonly string[]): string =>
    `  - name: ${name}\n    role: viewer\n    keys: ${JSON.stringify(keys)}\n`;

  test('are read with their fingerprints and comments', () => {
    const { users } = usersFileOf(parseYaml(`users:\n${keysOf('ann', key('ed25519-256'), key('rsa-2048'))}`));
    expect(users[0]?.keys).toMatchObject([
      { type: 'ssh-ed25519', comment: 'ed25519-256' },
      { type: 'ssh-rsa', fingerprint: 'SHA256:NEdbARM6b3RiX+QT/m3lY/WC4jDcq6zQbMd4zAHmRao' },
    ]);
    expect(usersFileOf(parseYaml(`users:\n${keysOf('ann')}`)).users[0]).not.toHaveProperty('keys');
  });

  test('belong to one user', () => {
    const line = key('ecdsa-256');
    expect(problemsOf(`users:\n${keysOf('ann', line)}${keysOf('ben', `${line} another comment`)}`)).toEqual([
      'line 7: user "ben": keys.0: is a key of "ann" as well',
    ]);
    expect(problemsOf(`users:\n${keysOf('ann', line, line)}`)).toEqual([
      'line 4: user "ann": keys.1: is here twice',
    ]);
  });

  test('that are weak, damaged or too many are refused with the line', () => {
    expect(problemsOf(`users:\n${keysOf('ann', key('rsa-1024'), 'ssh-ed25519 AAAA')}`)).toEqual([
      'line 4: user "ann": keys.0: must have at least 2048 bits, and has 1024',
      'line 4: user "ann": keys.1: is damaged: copy the whole line of the .pub file',
    ]);
    expect(problemsOf('users:\n  - { name: ann, role: viewer, keys: [7] }')).toEqual([
      'line 2: user "ann": keys.0: must be text: put it in quotes',
    ]);
    const many = Array.from({ length: 33 }, () => key('ed25519-256'));
    expect(problemsOf(`users:\n${keysOf('ann', ...many)}`)).toContain(
      'line 4: user "ann": keys: must have at most 32 keys',
    );
  });
});

test('groups have members and leaders, who need not be in the file', () => {
  const text =
    'users: []\ngroups:\n  - { name: a, members: [ann], leaders: [tom] }\n  - { name: b, members: [] }';
  expect(usersFileOf(parseYaml(text)).groups).toEqual([
    { name: 'a', members: ['ann'], leaders: ['tom'] },
    { name: 'b', members: [], leaders: [] },
  ]);
  expect(usersFileOf(parseYaml('users: []')).groups).toEqual([]);
  const names = Array.from({ length: 101 }, (_, at) => `u${at}`).join(', ');
  expect(problemsOf(`users: []\ngroups: [{ name: a, members: [], leaders: [${names}] }]`)).toEqual([
    'line 2: group "a": leaders: must have at most 100 names',
  ]);
});

test('quotas have limits with their units, and fields without a value say nothing', () => {
  const text = [
    'quotas:',
    '  server: { labs: 60, workspaces: 1GiB }',
    '  roles: { operator: { labs: 2, lease: 8h }, viewer: }',
    'users:',
    '  - { name: eva, role: viewer, quotas: { labs: unlimited, nodes: 0, jobs: , workspaces: unlimited, lease: unlimited } }',
    'groups:',
    '  - { name: a, members: [], quotas: { each: { workspaces: 0, lease: 30m }, together: { nodes: 5 } } }',
  ].join('\n');
  const { users, groups, quotas } = usersFileOf(parseYaml(text));
  expect(quotas).toEqual({
    server: { labs: 60, workspaceBytes: 1024 ** 3 },
    roles: { operator: { labs: 2, leaseMs: 8 * 3_600_000 } },
  });
  expect(users[0]?.quotas).toEqual({
    labs: Infinity,
    nodes: 0,
    workspaceBytes: Infinity,
    leaseMs: Infinity,
  });
  expect(groups[0]?.quotas).toEqual({
    each: { workspaceBytes: 0, leaseMs: 1_800_000 },
    together: { nodes: 5 },
  });
  expect(usersFileOf(parseYaml('users: []')).quotas).toEqual({});
});

describe('what is wrong is told with its line, its user and its field', () => {
  test.each([
    ['', 'the file is empty; "users: []" stands for no users'],
    ['# nothing\n', 'the file is empty; "users: []" stands for no users'],
    ['[]', 'line 1: must be an object'],
    ['users:\n', 'line 1: users: must be a list'],
    ['user: []', 'line 1: users: must be a list', 'line 1: there is no field "user"; did you mean "users"?'],
    ['users: []\nextra: 1', 'line 2: there is no field "extra"'],
    ['users: [ci]', 'line 1: user number 1: must be an object'],
    ...['0s', '0', '36501d'].map((lease) => [
      `users: []\nquotas: { roles: { operator: { lease: ${lease} } } }`,
      'line 2: quotas.roles.operator.lease: must be from 1s to 36500d, or "unlimited"',
    ]),
    ['users:\n  - role: admin\n', 'line 2: user number 1: name: must be text'],
    ['users:\n  - name: ci\n', 'line 2: user "ci": role: must be one of viewer, operator, admin'],
    [user('role2: x'), 'line 4: user "ci": there is no field "role2"; did you mean "role"?'],
    [user('workdir: [/x]'), 'line 4: user "ci": there is no field "workdir"; did you mean "workdirs"?'],
    [user('workdirs: /x'), 'line 4: user "ci": workdirs: must be a list'],
    [user('workdirs: [labs]'), 'line 4: user "ci": workdirs.0: must be an absolute path'],
    [user('workdirs: [~/labs]'), 'line 4: user "ci": workdirs.0: must be an absolute path'],
    [
      user('password: hunter2'),
      'line 4: user "ci": password: is neither a scrypt hash nor one of bcrypt; "lab user passwd" writes one',
    ],
    [
      user('password: "$2y$15$abcdefghijklmnopqrstuujydOTSfIH/d5oUHpsygqV5X9xJLQc6e"'),
      'line 4: user "ci": password: is a bcrypt hash of cost 15: more than 14 takes too long to check; "lab user passwd" writes one',
    ],
    [
      user('tokens: [{ id: x }]'),
      'line 4: user "ci": tokens.0.id: must be "tok_" and 4 to 32 hexadecimal digits',
      'line 4: user "ci": tokens.0.sha256: must be text',
    ],
    [
      user('tokens: [{ id: tok_8f3a, sha256: abc }]'),
      'line 4: user "ci": tokens.0.sha256: must be the 64 hexadecimal digits of a SHA-256',
    ],
    [
      token('expires: 1'),
      'line 4: user "ci": tokens.0: there is no field "expires"; did you mean "expiresAt"?',
    ],
    [
      token('expiresAt: 2027-01-01'),
      'line 4: user "ci": tokens.0.expiresAt: must be a time with its zone, like 2027-01-01T00:00:00Z',
    ],
    [
      token('note: "two\\nlines"'),
      'line 4: user "ci": tokens.0.note: must be one line of at most 200 characters',
    ],
    ['users:\n  - &a { name: eva, role: viewer }\n  - *a\n', 'line 3: *a: write out what is meant'],
    ['users: !unknown []', 'line 1: Unresolved tag: !unknown'],
    ['users: []\n---\nusers: []\n', 'line 2: only one YAML document is allowed: "---" begins another'],
    ['users:\n  - name: a\n    name: b\n', 'line 3: Map keys must be unique'],
    [
      'users: []\ngroups: [{ name: a b, members: [] }]',
      'line 2: group "a b": name: must have 1 to 63 letters, digits and . _ -, and begin with a letter, a digit or _',
    ],
    ['users: []\ngroups: [{ name: a }]', 'line 2: group "a": members: must be a list'],
    [
      'users: []\ngroups:\n  - { name: a, members: ["x:y"] }\n  - { name: a, members: [], leader: [] }',
      'line 3: group "a": members.0: must not contain a colon',
      'line 4: group "a": there is no field "leader"; did you mean "leaders"?',
    ],
    [
      'users: []\ngroups:\n  - { name: a, members: [] }\n  - { name: a, members: [] }',
      'line 4: group "a": name: is here twice',
    ],
    [
      'users: []\nquotas:\n  server: { labs: -1, lease: 8h }\n  roles: { operater: {} }\n  each: {}',
      'line 3: quotas.server.labs: must be at least 0',
      'line 3: quotas.server: there is no field "lease"',
      'line 4: quotas.roles: there is no field "operater"; did you mean "operator"?',
      'line 5: quotas: there is no field "each"',
    ],
    [
      'users: [{ name: eva, role: viewer, quotas: { lab: 1, nodes: 1.5, workspaces: 10, lease: 8 } }]',
      'line 1: user "eva": quotas.nodes: must be a whole number from 0, or "unlimited"',
      'line 1: user "eva": quotas.workspaces: must be an amount with its unit, like 10GiB, or "unlimited"',
      'line 1: user "eva": quotas.lease: must be an amount with its unit, like 8h, or "unlimited"',
      'line 1: user "eva": quotas: there is no field "lab"; did you mean "labs"?',
    ],
    [
      'users: []\ngroups: [{ name: a, members: [], quotas: { all: {}, together: { lease: 1h } } }]',
      'line 2: group "a": quotas.together: there is no field "lease"',
      'line 2: group "a": quotas: there is no field "all"',
    ],
    ['users: [', 'line 1: a ] is missing, or a line in the brackets is not indented enough, with spaces'],
    ['[['.repeat(200), 'more than 100 levels of nesting'],
    ['__proto__: { users: [] }', 'line 1: users: must be a list', 'line 1: there is no field "__proto__"'],
  ])('%j', (text, ...problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test.each([
    ['""', 'must have 1 to 128 characters'],
    [`"${'x'.repeat(129)}"`, 'must have 1 to 128 characters'],
    ['" ci"', 'must not begin or end with a space'],
    ['"a:b"', 'must not contain a colon'],
    ['"a\\nb"', 'must not contain control or invisible characters'],
    ['"a\\u202eb"', 'must not contain control or invisible characters'],
    ['"a\\u001b[31mb"', 'must not contain control or invisible characters'],
  ])('a user whose name is %s', (name, problem) => {
    const [found, ...others] = problemsOf(`users:\n  - { name: ${name}, role: viewer }\n`);
    expect(found).toContain(`: name: ${problem}`);
    expect(found).not.toMatch(/\p{C}/u);
    expect(others).toEqual([]);
  });

  test('a name that is a number says how it is text', () => {
    expect(problemsOf('users: [{ name: 1234, role: viewer }]')).toEqual([
      'line 1: user number 1: name: must be text: put it in quotes',
    ]);
  });

  test('two of one name, a name that LAB_API_USER has, two tokens of one id', () => {
    const text = `users:
  - { name: ci, role: viewer, tokens: [{ id: tok_8f3a, sha256: "${sha256}" }] }
  - { name: ci, role: admin }
  - { name: ops, role: viewer, tokens: [{ id: tok_8f3a, sha256: "${sha256}" }] }
`;
    expect(problemsOf(text, 'ops')).toEqual([
      'line 3: user "ci": name: is here twice',
      'line 4: user "ops": name: is that of LAB_API_USER, who is an administrator already',
      'line 4: user "ops": tokens.0.id: is here twice',
    ]);
  });

  test('every problem at once, and none repeats what is secret', () => {
    const text = 'users:\n  - { name: a, role: boss, password: hunter2 }\n  - { nam: b, role: admin }\n';
    const problems = problemsOf(text);
    expect(problems).toEqual([
      'line 2: user "a": role: must be one of viewer, operator, admin',
      expect.stringContaining('user "a": password: '),
      'line 3: user number 2: name: must be text',
      'line 3: user number 2: there is no field "nam"; did you mean "name"?',
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });
});
