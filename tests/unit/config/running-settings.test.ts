import { beforeEach, describe, expect, test } from '@jest/globals';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ConfigError } from '../../../src/config/load-config.ts';
import { RunningSettings } from '../../../src/config/running-settings.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const root = temporaryDirectory();
let file: string;
const write = (...lines: readonly string[]): void => writeFileSync(file, `${lines.join('\n')}\n`);

beforeEach(() => {
  file = path.join(mkdtempSync(path.join(root, 's-')), 'lab-api.env');
  write();
});

const started = (env: Readonly<Record<string, string>> = {}): RunningSettings =>
  new RunningSettings({ env: { ...env, LAB_API_SETTINGS_FILE: file } });

function problemsOf(action: () => unknown): readonly string[] {
  try {
    action();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('a settings file', () => {
  test('beats the environment', () => {
    write('# limits', '', 'export LAB_API_KEEP_DAYS = 7', "LAB_API_HOST_NAME='lab1'", 'PATH=/opt/bin');
    const { config, env } = started({ LAB_API_KEEP_DAYS: '9', LAB_API_KEEP_JOBS: '5', PATH: '/bin' });
    expect(config.live).toMatchObject({ keepDays: 7, keepJobs: 5 });
    expect(env).toMatchObject({ PATH: '/opt/bin' });
  });

  test.each([
    ['LAB_API_KEEP_DAYS 7', 'line 2 is neither NAME=value nor a comment'],
    ['LAB_API_KEEP_DAYS=7\n<<<<<<< HEAD', 'line 3 is neither NAME=value nor a comment'],
    ['A="one\ntwo"\nthree', 'line 4 is neither NAME=value nor a comment'],
  ])('with the line %j is refused', (line, why) => {
    write('# comment', line);
    expect(problemsOf(() => started())).toEqual([`LAB_API_SETTINGS_FILE: ${file} cannot be used: ${why}`]);
  });

  test.each([
    ['NUL bytes', Buffer.from('PATH=/a\0b')],
    ['carriage returns within lines', Buffer.from('A=1\rLAB_API_KEEP_DAYS=7\r')],
    ['not valid for encoding utf-8', Buffer.from([0x41, 0x3d, 0xe9])],
    ['larger than 1 MiB', Buffer.alloc(1024 * 1024 + 1, 'A=1\n')],
  ])('with %s is refused', (why, content) => {
    writeFileSync(file, content);
    expect(problemsOf(() => started())).toEqual([expect.stringContaining(why)]);
  });

  test('may come from Windows', () => {
    writeFileSync(file, '\uFEFFLAB_API_KEEP_DAYS=7\r\n# comment\r\nLAB_API_KEEP_JOBS="5"\r\n');
    expect(started().config.live).toMatchObject({ keepDays: 7, keepJobs: 5 });
  });

  test('may be named from the home directory', () => {
    const env = { LAB_API_SETTINGS_FILE: '~/of-no-such-name' };
    expect(problemsOf(() => new RunningSettings({ env }))).toEqual([
      expect.stringContaining(path.join(os.homedir(), 'of-no-such-name')),
    ]);
  });

  test('that others may write is refused', () => {
    write('LAB_API_KEEP_DAYS=7');
    for (const mode of [0o620, 0o602]) {
      chmodSync(file, mode);
      expect(problemsOf(() => started())).toEqual([expect.stringContaining('run "chmod go-w" on it')]);
    }
  });

  test('that is missing or a directory is refused', () => {
    rmSync(file);
    expect(problemsOf(() => started())).toEqual([expect.stringContaining(`${file} cannot be used: ENOENT`)]);
    file = root;
    expect(problemsOf(() => started())).toEqual([expect.stringContaining('EISDIR')]);
  });
});

describe('a reload', () => {
  test('changes live settings, and tells which others wait for a restart', () => {
    write('LAB_API_MAX_RUNNING_JOBS=2', 'LAB_API_PORT=8090', 'LAB_HOME=/a');
    const settings = started({ LAB_API_LOG_LEVEL: 'warn' });
    const { config } = settings;
    write('LAB_API_MAX_RUNNING_JOBS=4', 'LAB_API_PORT=8091', 'LAB_HOME=/b', 'LAB_API_LOG_LEVEL=debug');
    expect(settings.reload()).toEqual({
      file,
      changed: [
        { variable: 'LAB_API_MAX_RUNNING_JOBS', before: '2', after: '4' },
        { variable: 'LAB_API_LOG_LEVEL', before: 'warn', after: 'debug' },
      ],
      needsRestart: ['LAB_API_PORT', 'LAB_HOME'],
      warnings: [],
    });
    expect(settings.config).toBe(config);
    expect(config).toMatchObject({ port: 8090, live: { maxRunningJobs: 4, logLevel: 'debug' } });
    expect(settings.reload()).toMatchObject({ changed: [], needsRestart: ['LAB_API_PORT', 'LAB_HOME'] });
    write('LAB_API_MAX_RUNNING_JOBS=4', 'LAB_API_PORT=8090', 'LAB_API_LOG_LEVEL=debug');
    expect(settings.reload()).toMatchObject({ changed: [], needsRestart: ['LAB_HOME'] });
  });

  test('returns to the default, or to the environment, where a line is gone', () => {
    write('LAB_API_KEEP_DAYS=7', 'LAB_API_MAX_TTL=1h');
    // systemd may have read the same file.
    const settings = started({ LAB_API_KEEP_DAYS: '9', LAB_API_MAX_TTL: '1h' });
    write();
    expect(settings.reload().changed).toEqual([
      { variable: 'LAB_API_MAX_TTL', before: '1h', after: null },
      { variable: 'LAB_API_KEEP_DAYS', before: '7', after: '9' },
    ]);
    expect(settings.config.live).toMatchObject({ keepDays: 9, maxTtlMs: undefined });
  });

  test('changes nothing when anything is wrong', () => {
    const settings = started();
    write('LAB_API_KEEP_DAYS=7', 'LAB_API_KEEP_JOBS=many');
    expect(problemsOf(() => settings.reload())).toEqual([expect.stringContaining('LAB_API_KEEP_JOBS: ')]);
    write('LAB_API_KEEP_DAYS=7', 'LAB_API_DEFAULT_TTL=2h', 'LAB_API_MAX_TTL=1h');
    expect(problemsOf(() => settings.reload())).toEqual([expect.stringContaining('LAB_API_DEFAULT_TTL: ')]);
    expect(settings.config.live.keepDays).toBe(30);
    write('LAB_API_KEEP_DAYS=7');
    expect(settings.reload().changed).toHaveLength(1);
  });

  test('runs the checks of the start, and warns as the start does', () => {
    let isSound = true;
    const settings = new RunningSettings(
      { env: { LAB_API_SETTINGS_FILE: file } },
      {
        check: () => {
          if (!isSound) throw new ConfigError(['it is not sound']);
        },
        warningsAbout: (_, env) => Object.keys(env).filter((name) => name === 'LAB_API_X'),
      },
    );
    expect(settings.warnings).toEqual([]);
    write('LAB_API_X=1', 'LAB_API_KEEP_DAYS=7');
    isSound = false;
    expect(problemsOf(() => settings.reload())).toEqual(['it is not sound']);
    expect(settings.config.live.keepDays).toBe(30);
    isSound = true;
    expect(settings.reload().warnings).toEqual(['LAB_API_X']);
  });

  test('warns of lines without effect, as the start does', () => {
    const lines = [
      'LAB_API_KEEP_DAYS=7',
      'A="',
      'A=1',
      '"',
      'LAB_API_SETTINGS_FILE=/other',
      'LAB_API_KEEP_DAYS=8',
    ];
    write(...lines, `LAB_API_SETTINGS_FILE=${file}`);
    const twice = (name: string): string => `${name} is in ${file} more than once: the last line counts`;
    const settings = started();
    expect(settings.warnings).toEqual(['LAB_API_KEEP_DAYS', 'LAB_API_SETTINGS_FILE'].map(twice));
    expect(settings.config.live.keepDays).toBe(8);
    write(...lines.slice(1, 5));
    expect(settings.reload().warnings).toEqual([
      `LAB_API_SETTINGS_FILE in ${file} has no effect: one settings file does not name another`,
    ]);
  });

  test('without a file changes nothing', () => {
    const settings = new RunningSettings({ env: { LAB_API_KEEP_DAYS: '7' } });
    expect(settings.reload()).toEqual({ file: null, changed: [], needsRestart: [], warnings: [] });
  });
});
