import { describe, expect, test } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../../src/config/load-config.ts';
import { configProblemsOf as problemsOf } from '../../support/config-problems.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();
const secret = 'a secret of at least 32 characters';
const joined = { LAB_API_REDIS_URL: 'redis://:word@redis:6379/1', LAB_API_CLUSTER_SECRET: secret };

describe('a service', () => {
  test('works alone without Redis, also when it is told what it would be called', () => {
    const named = { LAB_API_HOST_NAME: 'lab1', LAB_API_HOST_LABELS: 'kvm' };
    expect([loadConfig({}).cluster, loadConfig(named).cluster]).toEqual([undefined, undefined]);
  });

  test('is one of a cluster with Redis and a secret, under the name of its machine', () => {
    expect(loadConfig(joined).cluster).toEqual({
      redisUrl: joined.LAB_API_REDIS_URL,
      secret,
      hostName: os.hostname(),
      hostUrl: undefined,
      hostLabels: [],
    });
  });

  test('has a name, a URL without a slash at its end, and labels', () => {
    const told = {
      LAB_API_HOST_NAME: 'lab-2.rack_7',
      LAB_API_HOST_URL: 'https://lab2.example.com:8090/netlab/',
      LAB_API_HOST_LABELS: 'kvm, large,,rack.7 ',
    };
    expect(loadConfig({ ...joined, ...told }).cluster).toMatchObject({
      hostName: 'lab-2.rack_7',
      hostUrl: 'https://lab2.example.com:8090/netlab',
      hostLabels: ['kvm', 'large', 'rack.7'],
    });
  });

  test('reads both secrets from files', () => {
    const files = Object.entries(joined).map(([name, value]) => {
      const file = path.join(directory, name);
      writeFileSync(file, `${value}\n`);
      return [`${name}_FILE`, file];
    });
    expect(loadConfig(Object.fromEntries(files)).cluster).toMatchObject({
      redisUrl: joined.LAB_API_REDIS_URL,
      secret,
    });
  });
});

describe('LAB_API_REDIS_URL', () => {
  test.each(['rediss://redis.example.com', 'redis://user:word@[2001:db8::1]:6380', 'redis://localhost'])(
    'may be %s',
    (url) => expect(problemsOf({ ...joined, LAB_API_REDIS_URL: url })).toEqual([]),
  );

  test.each(['redis', 'localhost:6379', 'http://redis:6379', 'unix:/run/redis.sock', '//redis'])(
    'is not %s',
    (url) =>
      expect(problemsOf({ ...joined, LAB_API_REDIS_URL: url })).toEqual([
        'LAB_API_REDIS_URL: must be redis://[:password@]host[:port][/database], or rediss:// for TLS',
      ]),
  );

  test('is not told in the message: it has a password in it', () => {
    const [problem] = problemsOf({ ...joined, LAB_API_REDIS_URL: 'http://:topsecret@redis' });
    expect(problem).not.toContain('topsecret');
  });
});

describe('LAB_API_CLUSTER_SECRET', () => {
  const message =
    'LAB_API_CLUSTER_SECRET: must have 32 characters at least, the same on all hosts: openssl rand -base64 32';

  test.each([
    [31, [message]],
    [32, []],
  ])('of %i characters', (length, problems) => {
    expect(problemsOf({ ...joined, LAB_API_CLUSTER_SECRET: 'x'.repeat(length) })).toEqual(problems);
  });
});

describe('LAB_API_HOST_NAME', () => {
  test.each(['lab 2', 'lab@2', 'lab/2', 'lab,2', '-lab', '.', 'läb', 'x'.repeat(64)])('is not %s', (name) =>
    expect(problemsOf({ ...joined, LAB_API_HOST_NAME: name })).toEqual([
      'LAB_API_HOST_NAME: must be letters, digits, ".", "_" or "-", at most 63',
    ]),
  );

  test('may have 63 characters', () => {
    expect(problemsOf({ ...joined, LAB_API_HOST_NAME: 'x'.repeat(63) })).toEqual([]);
  });
});

describe('LAB_API_HOST_URL', () => {
  test.each(['lab2', 'lab2:8090', 'ws://lab2:8090', '/labs', 'https://'])('is not %s', (url) =>
    expect(problemsOf({ ...joined, LAB_API_HOST_URL: url })).toEqual([
      'LAB_API_HOST_URL: must be where the other hosts reach this one, like https://lab2.example.com:8090',
    ]),
  );

  test.each(['0.0.0.0', '::', '[::]'])('is needed when the service listens on %s', (address) => {
    expect(problemsOf({ ...joined, LAB_API_BIND: address })).toEqual([
      'LAB_API_HOST_URL: say where the other hosts reach this one; LAB_API_BIND names every address of it',
    ]);
    expect(problemsOf({ ...joined, LAB_API_BIND: address, LAB_API_HOST_URL: 'http://lab2:8090' })).toEqual(
      [],
    );
  });

  test('is not needed where an address is named, or none', () => {
    expect(problemsOf({ ...joined, LAB_API_BIND: '192.0.2.2' })).toEqual([]);
    expect(problemsOf(joined)).toEqual([]);
  });
});

describe('LAB_API_HOST_LABELS', () => {
  test.each([
    ['kvm,two words', ['two words']],
    ['a/b,c@d', ['a/b', 'c@d']],
    ['-kvm', ['-kvm']],
  ])('%s: each wrong one is named', (labels, wrong) => {
    expect(problemsOf({ ...joined, LAB_API_HOST_LABELS: labels })).toEqual(
      wrong.map(
        (label) => `LAB_API_HOST_LABELS: "${label}" is not a label: write letters, digits, ".", "_" or "-"`,
      ),
    );
  });
});

describe('what belongs together', () => {
  test('Redis wants a secret', () => {
    expect(problemsOf({ LAB_API_REDIS_URL: joined.LAB_API_REDIS_URL })).toEqual([
      'LAB_API_REDIS_URL is set but LAB_API_CLUSTER_SECRET (or LAB_API_CLUSTER_SECRET_FILE) is not; they belong together',
    ]);
  });

  test.each([
    ['LAB_API_CLUSTER_SECRET', secret],
    ['LAB_API_HOST_URL', 'https://lab2.example.com:8090'],
  ])('%s wants Redis', (name, value) => {
    expect(problemsOf({ [name]: value })).toEqual([
      `${name} is set but LAB_API_REDIS_URL (or LAB_API_REDIS_URL_FILE) is not; they belong together`,
    ]);
  });

  test('both things that are missing are told at once', () => {
    const problems = problemsOf({ LAB_API_REDIS_URL: joined.LAB_API_REDIS_URL, LAB_API_BIND: '0.0.0.0' });
    expect(problems.map((problem) => /LAB_API_HOST_URL|LAB_API_CLUSTER_SECRET/.exec(problem)?.[0])).toEqual([
      'LAB_API_CLUSTER_SECRET',
      'LAB_API_HOST_URL',
    ]);
  });
});
