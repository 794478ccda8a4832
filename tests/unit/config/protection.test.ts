import { describe, expect, test } from '@jest/globals';
import { loadConfig } from '../../../src/config/load-config.ts';
import { missingUser } from '../../../src/config/protection.ts';
import { configProblemsOf } from '../../support/config-problems.ts';

describe('LAB_API_TLS', () => {
  test('self-signed: key and certificate are one file in the data directory', () => {
    const pairFile = '/data/tls/self-signed.pem';
    const { tls } = loadConfig({ LAB_API_TLS: 'self-signed', LAB_API_DATA_DIR: '/data' });
    expect(tls).toEqual({ certFile: pairFile, keyFile: pairFile, isSelfSigned: true });
  });

  test('with the files as well, nobody knows which certificate was meant', () => {
    const files = { LAB_API_TLS_CERT: '/c', LAB_API_TLS_KEY: '/k' };
    expect(loadConfig(files).tls).toEqual({ certFile: '/c', keyFile: '/k', isSelfSigned: false });
    expect(configProblemsOf({ ...files, LAB_API_TLS: 'self-signed' })).toEqual([
      'LAB_API_TLS: LAB_API_TLS_CERT is set as well; keep one of the two',
    ]);
    expect(configProblemsOf(files, { tls: 'self-signed' })).toEqual([
      '--tls (LAB_API_TLS): LAB_API_TLS_CERT is set as well; keep one of the two',
    ]);
  });
});

describe('LAB_API_REQUIRE_AUTH', () => {
  test.each([
    [{ LAB_API_REQUIRE_AUTH: 'true' }, false],
    [{ LAB_API_REQUIRE_AUTH: 'true', LAB_API_USER: 'u', LAB_API_PASSWORD: 'p' }, true],
    [{ LAB_API_REQUIRE_AUTH: 'false' }, true],
    [{}, true],
  ])('%j may start: %s', (env, may) => {
    const why = missingUser(loadConfig(env));
    if (may) expect(why).toBeUndefined();
    else
      expect(why).toMatch(
        /^LAB_API_REQUIRE_AUTH: .*LAB_API_USER and LAB_API_PASSWORD.*LAB_API_REQUIRE_AUTH=false/,
      );
  });
});

test('LAB_API_JOB_USER goes with LAB_API_ROOTS: the service reads as root then', () => {
  expect(loadConfig({ LAB_API_JOB_USER: 'labs', LAB_API_ROOTS: '/labs' }).jobUser).toBe('labs');
  expect(configProblemsOf({ LAB_API_JOB_USER: 'labs' })).toEqual([
    expect.stringMatching(/^LAB_API_JOB_USER: set LAB_API_ROOTS too: /),
  ]);
});
