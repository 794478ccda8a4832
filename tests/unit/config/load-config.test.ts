import { describe, expect, test } from '@jest/globals';
import os from 'node:os';
import path from 'node:path';
import { ConfigError, loadConfig } from '../../../src/config/load-config.ts';
import { configProblemsOf as problemsOf } from '../../support/config-problems.ts';

describe('defaults', () => {
  test('are those of the documentation', () => {
    expect(loadConfig({})).toEqual({
      bind: '127.0.0.1',
      port: 8090,
      sshPort: undefined,
      basePath: '',
      auth: undefined,
      usersFile: undefined,
      proxy: undefined,
      publicUrl: undefined,
      oidc: undefined,
      publicHealthz: false,
      publicReadyz: false,
      mcp: false,
      sessionTtlMs: 43_200_000,
      requireAuth: false,
      ownership: 'shared',
      tls: undefined,
      cli: 'auto',
      runtime: 'auto',
      moreClis: [],
      dataDir: path.join(os.homedir(), '.local/state/lab-api'),
      templatesDir: undefined,
      workspacesDir: path.join(os.homedir(), '.local/state/lab-api/workspaces'),
      roots: [],
      allowedHosts: [],
      corsOrigins: [],
      topologyHosts: [],
      git: { hosts: [], credentials: [] },
      webhooks: { url: undefined, events: ['job'], secret: undefined, hosts: [] },
      statusOutput: 'json',
      statusMaxAgeMs: 2_000,
      statusTimeoutMs: 60_000,
      live: {
        maxRunningJobs: os.availableParallelism(),
        maxQueuedJobs: 1_000,
        maxNodeSessions: 64,
        maxTerminals: 16,
        terminalIdleMs: 30 * 60_000,
        jobTimeoutMs: 4 * 3_600_000,
        cancelGraceMs: 10_000,
        defaultTtlMs: undefined,
        maxTtlMs: undefined,
        keepJobs: 10_000,
        keepDays: 30,
        keepSizeBytes: 20 * 2 ** 30,
        maxLogSizeBytes: 1024 ** 3,
        minFreeDiskBytes: 512 * 1024 ** 2,
        maxFileBytes: 1024 ** 3,
        maxWorkspaceFiles: 20_000,
        maxWorkspaceBytes: 4 * 1024 ** 3,
        maxAllWorkspacesBytes: 50 * 1024 ** 3,
        maxAllSnapshotsBytes: 20 * 1024 ** 3,
        maxAllImagesBytes: 20 * 2 ** 30,
        logLevel: 'info',
      },
      keepWorkspacesMs: undefined,
      logFormat: undefined,
      auditFile: undefined,
    });
  });

  test('cannot be changed afterwards', () => {
    expect(Object.isFrozen(loadConfig({}))).toBe(true);
  });

  test.each([
    ['/var/state', '/var/state/lab-api'],
    ['relative/state', path.join(os.homedir(), '.local/state/lab-api')],
    ['', path.join(os.homedir(), '.local/state/lab-api')],
  ])('the data directory with XDG_STATE_HOME=%j is %s', (state, expected) => {
    expect(loadConfig({ XDG_STATE_HOME: state }).dataDir).toBe(expected);
  });
});

describe('webhooks', () => {
  const secret = `whsec_${Buffer.alloc(24, 'x').toString('base64')}`;

  test('are what their variables say', () => {
    const { webhooks } = loadConfig({
      LAB_API_WEBHOOK_URL: 'http://localhost:9000/hook',
      LAB_API_WEBHOOK_EVENTS: 'job.failed, lab',
      LAB_API_WEBHOOK_SECRET: secret,
      LAB_API_WEBHOOK_HOSTS: 'CI.example',
    });
    expect(webhooks).toEqual({
      url: 'http://localhost:9000/hook',
      events: ['job.failed', 'lab'],
      secret,
      hosts: ['ci.example'],
    });
  });

  test.each([
    'whsec_',
    'secret',
    secret.slice(6),
    `${secret}!`,
    `whsec_${Buffer.alloc(23).toString('base64')}`,
  ])('with the secret %s are refused, and it is not repeated', (wrong) => {
    const problems = problemsOf({ LAB_API_WEBHOOK_SECRET: wrong });
    expect(problems).toEqual([
      expect.stringMatching(/^LAB_API_WEBHOOK_SECRET: must be "whsec_" and 24 to 64/),
    ]);
    expect(problems[0]?.slice(80)).not.toContain(secret.slice(6));
  });
});

describe('values', () => {
  test.each([
    { variable: 'LAB_API_BIND', value: '0.0.0.0', field: 'bind', expected: '0.0.0.0' },
    { variable: 'LAB_API_PORT', value: '0', field: 'port', expected: 0 },
    { variable: 'LAB_API_PORT', value: '65535', field: 'port', expected: 65_535 },
    { variable: 'LAB_API_SSH_PORT', value: '2222', field: 'sshPort', expected: 2_222 },
    { variable: 'LAB_API_BASE_PATH', value: '/netlab/', field: 'basePath', expected: '/netlab' },
    { variable: 'LAB_API_BASE_PATH', value: '/a/b.c~d', field: 'basePath', expected: '/a/b.c~d' },
    { variable: 'LAB_API_BASE_PATH', value: '/', field: 'basePath', expected: '' },
    { variable: 'LAB_API_PUBLIC_HEALTHZ', value: 'true', field: 'publicHealthz', expected: true },
    { variable: 'LAB_API_PUBLIC_HEALTHZ', value: 'false', field: 'publicHealthz', expected: false },
    { variable: 'LAB_API_PUBLIC_READYZ', value: 'true', field: 'publicReadyz', expected: true },
    { variable: 'LAB_API_CLI', value: 'containerlab', field: 'cli', expected: 'containerlab' },
    {
      variable: 'LAB_API_DATA_DIR',
      value: '~/state',
      field: 'dataDir',
      expected: path.join(os.homedir(), 'state'),
    },
    { variable: 'LAB_API_DATA_DIR', value: 'state', field: 'dataDir', expected: path.resolve('state') },
    { variable: 'LAB_API_TEMPLATES_DIR', value: '/t/../u', field: 'templatesDir', expected: '/u' },
    {
      variable: 'LAB_API_ROOTS',
      value: '/labs: ~/labs :',
      field: 'roots',
      expected: ['/labs', path.join(os.homedir(), 'labs')],
    },
    {
      variable: 'LAB_API_TOPOLOGY_HOSTS',
      value: 'Git.Example, b',
      field: 'topologyHosts',
      expected: ['git.example', 'b'],
    },
    { variable: 'LAB_API_STATUS_OUTPUT', value: 'text', field: 'statusOutput', expected: 'text' },
    { variable: 'LAB_API_STATUS_MAX_AGE', value: '500ms', field: 'statusMaxAgeMs', expected: 500 },
    { variable: 'LAB_API_STATUS_TIMEOUT', value: '30', field: 'statusTimeoutMs', expected: 30_000 },
    { variable: 'LAB_API_MAX_RUNNING_JOBS', value: '1', field: 'maxRunningJobs', expected: 1 },
    { variable: 'LAB_API_MAX_QUEUED_JOBS', value: '5', field: 'maxQueuedJobs', expected: 5 },
    { variable: 'LAB_API_JOB_TIMEOUT', value: '30d', field: 'jobTimeoutMs', expected: 30 * 86_400_000 },
    { variable: 'LAB_API_CANCEL_GRACE', value: '5m', field: 'cancelGraceMs', expected: 300_000 },
    { variable: 'LAB_API_DEFAULT_TTL', value: '2h', field: 'defaultTtlMs', expected: 7_200_000 },
    { variable: 'LAB_API_MAX_TTL', value: '1d', field: 'maxTtlMs', expected: 86_400_000 },
    { variable: 'LAB_API_MCP', value: 'true', field: 'mcp', expected: true },
    { variable: 'LAB_API_OWNERSHIP', value: 'strict', field: 'ownership', expected: 'strict' },
    { variable: 'LAB_API_KEEP_JOBS', value: '10', field: 'keepJobs', expected: 10 },
    { variable: 'LAB_API_KEEP_DAYS', value: '1', field: 'keepDays', expected: 1 },
    { variable: 'LAB_API_KEEP_SIZE', value: '1.5GiB', field: 'keepSizeBytes', expected: 1.5 * 2 ** 30 },
    { variable: 'LAB_API_MAX_LOG_SIZE', value: '1024', field: 'maxLogSizeBytes', expected: 1024 },
    { variable: 'LAB_API_MIN_FREE_DISK', value: '0', field: 'minFreeDiskBytes', expected: 0 },
    { variable: 'LAB_API_LOG_LEVEL', value: 'debug', field: 'logLevel', expected: 'debug' },
    { variable: 'LAB_API_LOG_FORMAT', value: 'text', field: 'logFormat', expected: 'text' },
    { variable: 'LAB_API_AUDIT_FILE', value: '/var/../a', field: 'auditFile', expected: '/a' },
  ] as const)('$variable=$value', ({ variable, value, field, expected }) => {
    const { live, ...fixed } = loadConfig({ [variable]: value });
    expect({ ...live, ...fixed }[field]).toEqual(expected);
  });

  test.each([
    ['LAB_API_PORT', '65536'],
    ['LAB_API_PORT', '-1'],
    ['LAB_API_PORT', '80.5'],
    ['LAB_API_PORT', '0x50'],
    ['LAB_API_PORT', 'http'],
    ['LAB_API_SSH_PORT', '65536'],
    ['LAB_API_BASE_PATH', 'netlab'],
    ['LAB_API_BASE_PATH', '//netlab'],
    ['LAB_API_BASE_PATH', '/a b'],
    ['LAB_API_PUBLIC_HEALTHZ', 'yes'],
    ['LAB_API_WEBHOOK_EVENTS', 'job.sucess'],
    ['LAB_API_WEBHOOK_HOSTS', ','],
    ['LAB_API_STATUS_OUTPUT', 'yaml'],
    ['LAB_API_STATUS_MAX_AGE', '0'],
    ['LAB_API_STATUS_TIMEOUT', 'soon'],
    ['LAB_API_MAX_RUNNING_JOBS', '0'],
    ['LAB_API_MAX_QUEUED_JOBS', '1e3'],
    ['LAB_API_JOB_TIMEOUT', '4 hours'],
    ['LAB_API_CANCEL_GRACE', '-5s'],
    ['LAB_API_KEEP_JOBS', '0'],
    ['LAB_API_KEEP_DAYS', '30d'],
    ['LAB_API_KEEP_SIZE', 'plenty'],
    ['LAB_API_KEEP_WORKSPACES', 'a month'],
    ['LAB_API_KEEP_WORKSPACES', '30'],
    ['LAB_API_MAX_LOG_SIZE', '1 gigabyte'],
    ['LAB_API_MIN_FREE_DISK', 'half'],
    ['LAB_API_ROOTS', '/labs, ~/labs'],
    ['LAB_API_MAX_ALL_WORKSPACES_SIZE', '20'],
    ['LAB_API_TLS', 'yes'],
    ['LAB_API_REQUIRE_AUTH', 'yes'],
    ['LAB_API_LOG_LEVEL', 'verbose'],
    ['LAB_API_LOG_FORMAT', 'xml'],
  ])('%s=%s is refused in one line that names both', (variable, value) => {
    const problems = problemsOf({ [variable]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${variable}: [^\\n]+$`));
    expect(problems[0]).toContain(`"${value}"`);
  });

  test('a wrong URL of a webhook is not shown: it may have a secret', () => {
    expect(problemsOf({ LAB_API_WEBHOOK_URL: 'htps://example.com/secret' })).toEqual([
      'LAB_API_WEBHOOK_URL: must be an http or https URL',
    ]);
  });

  test('an empty one means that it is not set', () => {
    const variables = [
      'BIND',
      'PORT',
      'USER',
      'PASSWORD',
      'TLS',
      'TLS_CERT',
      'CLI',
      'DATA_DIR',
      'ROOTS',
      'LOG_FORMAT',
      'USER_FILE',
    ];
    const env = Object.fromEntries(variables.map((name) => [`LAB_API_${name}`, '']));
    expect(loadConfig(env)).toEqual(loadConfig({}));
  });

  test('all problems are told at once', () => {
    const problems = problemsOf(
      {
        LAB_API_PORT: 'x',
        LAB_API_LOG_LEVEL: 'y',
        LAB_API_USER: 'u',
        LAB_API_TLS_KEY: 'k',
        LAB_API_PASSWORD_FILE: '/none',
      },
      { cli: '' },
    );
    expect(problems.map((problem) => problem.split(/[: ]/)[0] ?? '').toSorted()).toEqual([
      '--cli',
      'LAB_API_LOG_LEVEL',
      'LAB_API_PASSWORD_FILE',
      'LAB_API_PORT',
      'LAB_API_TLS_KEY',
    ]);
    expect(new ConfigError(problems).message.split('\n')).toEqual(problems);
  });
});

describe('LAB_API_CORS_ORIGINS', () => {
  test('is read as browsers write origins', () => {
    const { corsOrigins } = loadConfig({
      LAB_API_CORS_ORIGINS: 'HTTPS://Labs.example:443, http://[::1]:3000',
    });
    expect(corsOrigins).toEqual(['https://labs.example', 'http://[::1]:3000']);
  });

  test.each([
    '*',
    'https://*.example',
    'null',
    'https://labs.example/',
    'https://labs.example/path',
    'https://labs.example?x',
    'https://lab@labs.example',
    'ftp://labs.example',
    'labs.example',
    'https://',
    'https://labs.example:99999',
  ])('refuses %s in one line that names it', (origin) => {
    const load = () => loadConfig({ LAB_API_CORS_ORIGINS: `https://good.example,${origin}` });
    const problem = expect.stringMatching(
      /^LAB_API_CORS_ORIGINS: ".*" (?:is not an|names no single) origin: write [^\n]*$/,
    );
    expect(load).toThrow(expect.objectContaining({ problems: [problem] }));
    expect(load).toThrow(`"${origin}"`);
  });
});

test('a default time to live that is over the maximum is refused', () => {
  const env = { LAB_API_DEFAULT_TTL: '2h', LAB_API_MAX_TTL: '1h' };
  expect(problemsOf(env)).toEqual(['LAB_API_DEFAULT_TTL: must not be more than LAB_API_MAX_TTL']);
  expect(problemsOf({ ...env, LAB_API_DEFAULT_TTL: '1h' })).toEqual([]);
});
