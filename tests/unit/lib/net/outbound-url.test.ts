import { describe, expect, test } from '@jest/globals';
import {
  addressesOf,
  exchangeProblem,
  parseOutboundUrl,
  pinnedLookup,
  systemLookup,
  userInUrl,
  type OutboundTerms,
} from '../../../../src/lib/net/outbound-url.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { failureOf } from '../../../support/failure-of.ts';

const terms: OutboundTerms = {
  field: 'receiver',
  variable: 'LAB_HOSTS',
  allowedHosts: [],
  signal: new AbortController().signal,
  lookupAll: async () => [
    { address: '192.0.2.1', family: 4 },
    { address: '2001:db8::1', family: 6 },
  ],
};

describe('a URL', () => {
  test.each([
    'http://lab.example/@x',
    'http://lab.example?a@b',
    'http://lab.example\\@b',
    'http://@lab.example/',
    'http://:@lab.example/',
    'http://user@lab.example/',
    'HTTP://:word@lab.example/',
    'http://user:@lab.example/',
    'https:///user@lab.example/',
    'https://a@b@lab.example/',
  ])('%s matches `userInUrl` if it is refused for its user', (text) => {
    const isRefused = (): boolean => {
      try {
        return parseOutboundUrl('receiver', text) === undefined;
      } catch (error) {
        return (error as AppError).message.includes('user name or password');
      }
    };
    expect(new RegExp(userInUrl, 'u').test(text)).toBe(isRefused());
  });

  test.each(['http://lab.example/a?b#c', 'https://lab.example:8443/'])('%s is taken', (text) => {
    expect(parseOutboundUrl('receiver', text).href).toBe(text);
  });

  test('may be meant from another one', () => {
    expect(parseOutboundUrl('receiver', '../b', new URL('http://lab.example/x/a')).href).toBe(
      'http://lab.example/b',
    );
  });

  test.each([
    ['lab.example', 'must be an absolute http or https URL'],
    ['ftp://lab.example/', 'must be an http or https URL'],
    ['http://user@lab.example/', 'must not hold a user name or password'],
    ['http://:word@lab.example/', 'must not hold a user name or password'],
  ])('%s is refused', (text, message) => {
    let refusal: unknown;
    try {
      parseOutboundUrl('receiver', text);
    } catch (error) {
      refusal = error;
    }
    expect(refusal).toBeInstanceOf(AppError);
    expect(refusal).toMatchObject({
      code: 'invalid-request',
      errors: [{ field: 'receiver', message: expect.stringContaining(message) }],
    });
  });
});

describe('the addresses of a host', () => {
  test('are those of every family', async () => {
    expect(await addressesOf(new URL('http://lab.example/'), terms)).toEqual([
      { address: '192.0.2.1', family: 4 },
      { address: '2001:db8::1', family: 6 },
    ]);
  });

  test.each([
    ['lab.example', 'http://lab.example/'],
    ['LAB.example.', 'http://lab.example/'],
    ['lab.example:8080', 'http://lab.example/'],
    [' lab.example:8080 ', 'http://LAB.example./'],
    ['lab.example', 'http://lab.example.:81/'],
    ['[2001:db8::1]', 'http://[2001:db8::1]/'],
    ['[2001:db8::1]:8080', 'http://[2001:db8::1]/'],
    [' [2001:db8::1]:8080 ', 'http://[2001:db8::1]/'],
    ['2001:db8::1', 'http://[2001:db8::1]:81/'],
    [' 2001:db8::1 ', 'http://[2001:db8::1]/'],
  ])('are asked for when %j allows %s', async (entry, url) => {
    const found = await addressesOf(new URL(url), { ...terms, allowedHosts: ['other.example', entry] });
    expect(found).toHaveLength(2);
  });

  test.each(['lab.example.org', 'ab.example', 'x[2001:db8::1]', 'lab.example:8x', 'lab.example:x8'])(
    'are not asked for when only %j is allowed',
    async (entry) => {
      const refusal = await failureOf(
        addressesOf(new URL('http://lab.example/'), { ...terms, allowedHosts: [entry] }),
      );
      expect(refusal).toMatchObject({ code: 'forbidden-host', errors: [{ field: 'receiver' }] });
      expect(refusal.message).toMatch(/^receiver: the host lab\.example .*\(LAB_HOSTS\)$/);
    },
  );

  test('may be of this machine only when the host is named', async () => {
    const lookupAll: OutboundTerms['lookupAll'] = async () => [{ address: '127.0.0.1', family: 4 }];
    const refusal = await failureOf(addressesOf(new URL('http://lab.example/'), { ...terms, lookupAll }));
    expect(refusal).toMatchObject({ code: 'forbidden-host', errors: [{ field: 'receiver' }] });
    expect(refusal.message).toContain('LAB_HOSTS can allow it');
    const named = { ...terms, lookupAll, allowedHosts: ['lab.example'] };
    expect(await addressesOf(new URL('http://lab.example/'), named)).toEqual([
      { address: '127.0.0.1', family: 4 },
    ]);
  });

  test('are waited for until somebody says that it is enough', async () => {
    const stop = new AbortController();
    let asked = 0;
    const lookupAll: OutboundTerms['lookupAll'] = async () => {
      asked += 1;
      return new Promise(() => undefined);
    };
    const waiting = addressesOf(new URL('http://a.example/'), { ...terms, lookupAll, signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(
      addressesOf(new URL('http://a.example/'), { ...terms, lookupAll, signal: stop.signal }),
    ).rejects.toThrow('enough');
    expect(asked).toBe(2);
  });

  test('come from the system', async () => {
    expect(await systemLookup('127.0.0.1')).toEqual([{ address: '127.0.0.1', family: 4 }]);
  });
});

describe('a connection', () => {
  const pinned = [
    { address: '192.0.2.1', family: 4 },
    { address: '192.0.2.2', family: 4 },
  ] as const;
  const answerTo = (all: boolean, addresses: typeof pinned | readonly []) => {
    let answer: unknown[] = [];
    pinnedLookup(addresses)('elsewhere.example', { all }, (...given) => (answer = given));
    return answer;
  };

  test('goes to one of the addresses that were checked, whatever name is asked for', () => {
    expect(answerTo(false, pinned)).toEqual([null, '192.0.2.1', 4]);
    expect(answerTo(true, pinned)).toEqual([null, pinned]);
  });

  test.each([true, false])('goes nowhere when there is none (all: %s)', (all) => {
    expect(answerTo(all, [])).toEqual([new Error('no address'), '', 0]);
  });
});

test.each([
  ['ENOTFOUND', 'the host name is unknown'],
  ['EAI_AGAIN', 'the name server does not answer'],
  ['ECONNREFUSED', 'the server refuses connections'],
  ['ECONNRESET', 'the server broke the connection'],
  ['EHOSTUNREACH', 'the server cannot be reached'],
  ['UND_ERR_CONNECT_TIMEOUT', 'the server does not answer'],
  ['CERT_HAS_EXPIRED', "the server's certificate is not trusted (CERT_HAS_EXPIRED)"],
  ['ERR_SSL_WRONG_VERSION_NUMBER', /does not speak TLS as it should/],
  ['EPROTO', 'the server does not speak TLS as it should (EPROTO)'],
  ['EOTHER', 'the exchange failed (EOTHER)'],
  ['', 'the exchange with the server failed'],
  [5, 'the exchange with the server failed'],
])('an exchange that fails with %j', (code, sentence) => {
  expect(exchangeProblem({ code })).toEqual(
    typeof sentence === 'string' ? sentence : expect.stringMatching(sentence),
  );
});

test.each([null, undefined, 'x', {}])('an exchange that fails with the error %j', (error) => {
  expect(exchangeProblem(error)).toBe('the exchange with the server failed');
});
