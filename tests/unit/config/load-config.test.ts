import { describe, expect, test } from '@jest/globals';
import os from 'node:os';
import path from 'node:path';
import type { Flags } from '../../../src/config/config.ts';
import { ConfigError, loadConfig } from '../../../src/config/load-config.ts';

function problemsOf(env: Record<string, string | undefined>, flags: Flags = {}): readonly string[] {
  try {
    loadConfig(env, flags);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

describe('defaults', () => {
  test('are those of the documentation', () => {
    expect(loadConfig({})).toEqual({
      bind: '127.0.0.1',
      port: 8090,
      basePath: '',
      auth: undefined,
      publicHealthz: false,
      tls: undefined,
      cli: 'auto',
      dataDir: path.join(os.homedir(), '.local/state/lab-api'),
      templatesDir: undefined,
      roots: [],
      allowedHosts: [],
      topologyHosts: [],
      statusOutput: 'json',
      statusMaxAgeMs: 2_000,
      statusTimeoutMs: 60_000,
      maxRunningJobs: os.availableParallelism(),
      maxQueuedJobs: 1_000,
      jobTimeoutMs: 4 * 3_600_000,
      cancelGraceMs: 10_000,
      keepJobs: 10_000,
      keepDays: 30,
      keepSizeBytes: 20 * 2 ** 30,
      maxLogSizeBytes: 1024 ** 3,
      minFreeDiskBytes: 512 * 1024 ** 2,
      logLevel: 'info',
      logFormat: undefined,
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

describe('values', () => {
  test.each([
    ['LAB_API_BIND', '0.0.0.0', 'bind', '0.0.0.0'],
    ['LAB_API_PORT', '0', 'port', 0],
    ['LAB_API_PORT', '65535', 'port', 65_535],
    ['LAB_API_BASE_PATH', '/netlab/', 'basePath', '/netlab'],
    ['LAB_API_BASE_PATH', '/a/b.c~d', 'basePath', '/a/b.c~d'],
    ['LAB_API_BASE_PATH', '/', 'basePath', ''],
    ['LAB_API_PUBLIC_HEALTHZ', 'true', 'publicHealthz', true],
    ['LAB_API_PUBLIC_HEALTHZ', 'false', 'publicHealthz', false],
    ['LAB_API_CLI', 'containerlab', 'cli', 'containerlab'],
    ['LAB_API_DATA_DIR', '~/state', 'dataDir', path.join(os.homedir(), 'state')],
    ['LAB_API_DATA_DIR', 'state', 'dataDir', path.resolve('state')],
    ['LAB_API_TEMPLATES_DIR', '/t/../u', 'templatesDir', '/u'],
    ['LAB_API_ROOTS', '/labs: ~/labs :', 'roots', ['/labs', path.join(os.homedir(), 'labs')]],
    ['LAB_API_TOPOLOGY_HOSTS', 'Git.Example, b', 'topologyHosts', ['git.example', 'b']],
    ['LAB_API_STATUS_OUTPUT', 'text', 'statusOutput', 'text'],
    ['LAB_API_STATUS_MAX_AGE', '500ms', 'statusMaxAgeMs', 500],
    ['LAB_API_STATUS_TIMEOUT', '30', 'statusTimeoutMs', 30_000],
    ['LAB_API_MAX_RUNNING_JOBS', '1', 'maxRunningJobs', 1],
    ['LAB_API_MAX_QUEUED_JOBS', '5', 'maxQueuedJobs', 5],
    ['LAB_API_JOB_TIMEOUT', '30d', 'jobTimeoutMs', 30 * 86_400_000],
    ['LAB_API_CANCEL_GRACE', '5m', 'cancelGraceMs', 300_000],
    ['LAB_API_KEEP_JOBS', '10', 'keepJobs', 10],
    ['LAB_API_KEEP_DAYS', '1', 'keepDays', 1],
    ['LAB_API_KEEP_SIZE', '1.5GiB', 'keepSizeBytes', 1.5 * 2 ** 30],
    ['LAB_API_MAX_LOG_SIZE', '1000', 'maxLogSizeBytes', 1000],
    ['LAB_API_MIN_FREE_DISK', '0', 'minFreeDiskBytes', 0],
    ['LAB_API_LOG_LEVEL', 'debug', 'logLevel', 'debug'],
    ['LAB_API_LOG_FORMAT', 'text', 'logFormat', 'text'],
  ] as const)('%s=%s', (variable, value, field, expected) => {
    expect(loadConfig({ [variable]: value })[field]).toEqual(expected);
  });

  test.each([
    ['LAB_API_PORT', '65536'],
    ['LAB_API_PORT', '-1'],
    ['LAB_API_PORT', '80.5'],
    ['LAB_API_PORT', '0x50'],
    ['LAB_API_PORT', 'http'],
    ['LAB_API_BASE_PATH', 'netlab'],
    ['LAB_API_BASE_PATH', '//netlab'],
    ['LAB_API_BASE_PATH', '/a b'],
    ['LAB_API_PUBLIC_HEALTHZ', 'yes'],
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
    ['LAB_API_MAX_LOG_SIZE', '1 gigabyte'],
    ['LAB_API_MIN_FREE_DISK', 'half'],
    ['LAB_API_LOG_LEVEL', 'verbose'],
    ['LAB_API_LOG_FORMAT', 'xml'],
  ])('%s=%s is refused in one line that names both', (variable, value) => {
    const problems = problemsOf({ [variable]: value });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(new RegExp(`^${variable}: [^\\n]+$`));
    expect(problems[0]).toContain(`"${value}"`);
  });

  test('an empty one means that it is not set', () => {
    const variables = [
      'BIND',
      'PORT',
      'USER',
      'PASSWORD',
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
      'LAB_API_USER',
    ]);
    expect(new ConfigError(problems).message.split('\n')).toEqual(problems);
  });
});
