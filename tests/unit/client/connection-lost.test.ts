import { describe, expect, test } from '@jest/globals';
import { whyLost } from '../../../src/client/connection.ts';

const base = 'https://lab.example';
const plainBase = 'http://lab.example';

/** As `fetch` throws it. */
const fetchFailed = (cause: unknown) => new TypeError('fetch failed', { cause });
const fault = (code: string, more: object = {}) => Object.assign(new Error('its words\n'), { code, ...more });

describe('the innermost error speaks', () => {
  test.each<[string, unknown]>([
    ['alone', fault('EOTHER')],
    ['as a cause', fetchFailed(fault('EOTHER'))],
    ['as the cause of a cause', fetchFailed(new Error('outer', { cause: fault('EOTHER') }))],
    [
      'as the last of several',
      fetchFailed(new AggregateError([fault('EFIRST', { message: 'no' }), fault('EOTHER')])),
    ],
  ])('%s', (_name, error) => {
    expect(whyLost(error, base)).toEqual({ sentence: 'its words' });
  });

  test.each([
    ['a string', 'a string'],
    [null, 'null'],
    [undefined, 'undefined'],
    [fetchFailed('a string'), 'a string'],
    [fetchFailed(null), 'null'],
    [new AggregateError([], 'none of them'), 'none of them'],
  ])('%s, which is no error', (error, sentence) => {
    expect(whyLost(error, base)).toEqual({ sentence });
  });
});

test('a server without TLS', () => {
  expect(whyLost(fetchFailed(fault('ERR_SSL_WRONG_VERSION_NUMBER')), base)).toEqual({
    sentence: expect.stringContaining('http://'),
    reason: 'plain-http',
  });
});

test.each([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])('a certificate of nobody that is trusted: %s', (code) => {
  expect(whyLost(fetchFailed(fault(code)), base)).toEqual({
    sentence: 'its certificate is not trusted (its words)',
    reason: 'untrusted',
  });
});

test.each(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID'])('a certificate of another time: %s', (code) => {
  expect(whyLost(fault(code), base)).toEqual({ sentence: 'its its words', reason: 'out-of-date' });
});

test('another key than the one that was asked for', () => {
  expect(whyLost(fault('ERR_TLS_OTHER_KEY'), base)).toEqual({
    sentence: 'its words than the one to be trusted',
    reason: 'other-key',
  });
});

describe('a certificate for another name', () => {
  const six = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `DNS:${name}`).join(', ');
  test.each([
    [{ subjectaltname: 'DNS:a.example, IP Address:10.0.0.1' }, 'a.example, 10.0.0.1'],
    [{ subjectaltname: 'DNS:a.example', subject: { CN: 'other' } }, 'a.example'],
    [{ subjectaltname: six.replace(', DNS:f', '') }, 'a, b, c, d, e'],
    [{ subjectaltname: six }, 'a, b, c, d, e, …'],
    [{ subjectaltname: 'fd00::1:DNS:x' }, 'fd00::1:DNS:x'.replace(/^\w+:/, '')],
    [{ subject: { CN: 'a name' } }, 'a name'],
    [{ subject: {} }, 'no name'],
    [{}, 'no name'],
    [undefined, 'no name'],
  ])('%j', (cert, names) => {
    expect(whyLost(fault('ERR_TLS_CERT_ALTNAME_INVALID', { cert, host: 'lab.example' }), base)).toEqual({
      sentence: `its certificate is for ${names}, not for lab.example`,
      reason: 'other-name',
    });
  });
});

describe('a connection that is closed without a word, or with words that are no HTTP,', () => {
  const maybe = { sentence: expect.stringContaining('https://'), reason: 'may-be-tls' };
  const plain = { sentence: 'its words' };
  test.each([
    ['UND_ERR_SOCKET', plainBase, { socket: { bytesRead: 0 } }, maybe],
    ['UND_ERR_SOCKET', plainBase, { socket: { bytesRead: 7 } }, plain],
    ['UND_ERR_SOCKET', plainBase, { socket: null }, plain],
    ['UND_ERR_SOCKET', plainBase, {}, plain],
    ['UND_ERR_SOCKET', base, { socket: { bytesRead: 0 } }, plain],
    ['HPE_INVALID_CONSTANT', plainBase, {}, maybe],
    ['HPE_INVALID_CONSTANT', base, {}, plain],
  ])('may wait for TLS: %s at %s, %j', (code, at, more, loss) => {
    expect(whyLost(fetchFailed(fault(code, more)), at)).toEqual(loss);
  });

  test('repeats the words of the system', () => {
    expect(whyLost(fault('HPE_INVALID_CONSTANT'), plainBase).sentence).toMatch(/^its words; /);
  });
});
