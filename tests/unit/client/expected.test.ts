import { describe, expect, test } from '@jest/globals';
import { asJob, asJobPage, boundedText, parsedObject, serviceErrorOf } from '../../../src/client/expected.ts';
import { UnexpectedReply } from '../../../src/client/service-error.ts';
import { jobReply as job } from '../../support/scripted-server.ts';

describe('the text of a reply', () => {
  test('is put together from parts that cut a character', async () => {
    const bytes = new TextEncoder().encode('a€b');
    const parts = [bytes.slice(0, 2), bytes.slice(2)];
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const part = parts.shift();
        if (part) controller.enqueue(part);
        else controller.close();
      },
    });
    expect(await boundedText(new Response(body))).toBe('a€b');
  });

  test('that ends within a character says so', async () => {
    expect(await boundedText(new Response(new Uint8Array([97, 0xe2, 0x82])))).toBe('a\ufffd');
  });

  test('may be as long as is allowed, and no byte longer', async () => {
    expect(await boundedText(new Response('12345'), 5)).toBe('12345');
    await expect(boundedText(new Response('123456'), 5)).rejects.toThrow(UnexpectedReply);
    await expect(boundedText(new Response('123456'), 5)).rejects.toThrow('longer than 5 bytes');
  });

  test('is empty where there is no body', async () => {
    expect(await boundedText(new Response(null))).toBe('');
  });
});

describe('a JSON object', () => {
  test('is taken as it is', () => expect(parsedObject('{"a":[1]}')).toEqual({ a: [1] }));

  test.each(['', '{', '<html>'])('is not %j, which is not JSON', (text) => {
    expect(() => parsedObject(text)).toThrow(new UnexpectedReply('the reply is not JSON'));
  });

  test.each(['null', '[]', '5', '"a"'])('is not %s', (text) => {
    expect(() => parsedObject(text)).toThrow(new UnexpectedReply('the reply is not a JSON object'));
  });
});

describe('a job', () => {
  test.each([
    job,
    { ...job, state: 'of the future', more: 1 },
    { ...job, error: 'why', warnings: ['a', 'b'] },
  ])('%j is one', (value) => expect(asJob(value)).toBe(value));

  test.each([
    undefined,
    null,
    [job],
    'job',
    ...Object.keys(job).map((name) => ({ ...job, [name]: 5 })),
    ...Object.keys(job).map((name) => ({ ...job, [name]: undefined })),
    { ...job, id: null },
    { ...job, warnings: ['a', 5] },
  ])('%j is none', (value) =>
    expect(() => asJob(value)).toThrow(new UnexpectedReply('the reply is not a job')),
  );
});

describe('a page of jobs', () => {
  test.each([null, 'next'])('with the cursor %j', (nextCursor) => {
    expect(asJobPage({ jobs: [job], nextCursor, more: 1 })).toEqual({ jobs: [job], nextCursor });
  });

  test.each([{}, { jobs: 5, nextCursor: null }, { jobs: [job] }, { jobs: [job], nextCursor: 5 }])(
    'is not %j',
    (value) => expect(() => asJobPage(value)).toThrow(new UnexpectedReply('the reply is not a page of jobs')),
  );

  test('holds nothing but jobs', () => {
    expect(() => asJobPage({ jobs: [job, {}], nextCursor: null })).toThrow('the reply is not a job');
  });
});

describe('a refusal', () => {
  const refusal = async (body: unknown, headers: Record<string, string> = {}) =>
    serviceErrorOf(
      new Response(typeof body === 'string' ? body : JSON.stringify(body), {
        status: 409,
        headers: { 'Content-Type': 'application/problem+json', ...headers },
      }),
    );

  test('has what the problem document says', async () => {
    const errors = [{ field: 'action', message: 'is missing' }];
    const problem = { detail: 'sentence', code: 'conflict', requestId: 'r', errors };
    expect(await refusal(problem, { 'Retry-After': '7' })).toMatchObject({
      name: 'ServiceError',
      status: 409,
      message: 'sentence',
      code: 'conflict',
      requestId: 'r',
      errors,
      retryAfterSeconds: 7,
    });
  });

  test('leaves out what is not as it should be', async () => {
    const errors = [
      5,
      null,
      { field: 'a' },
      { message: 'b' },
      { field: 1, message: 'c' },
      { field: 'd', message: 2 },
      { field: 'e', message: 'f' },
    ];
    expect(await refusal({ detail: 5, code: 5, requestId: 5, errors })).toMatchObject({
      message: 'the server answered with HTTP status 409',
      code: undefined,
      requestId: undefined,
      errors: [{ field: 'e', message: 'f' }],
      retryAfterSeconds: undefined,
    });
    expect(await refusal({ errors: 'none' })).toMatchObject({ errors: [] });
  });

  test('is known by a header when the document does not say its ID', async () => {
    const headers = { 'X-Request-Id': 'h', 'Retry-After': 'Wed, 21 Oct 2026 07:28:00 GMT' };
    expect(await refusal({}, headers)).toMatchObject({ requestId: 'h', retryAfterSeconds: undefined });
    expect(await refusal({ requestId: 'd' }, headers)).toMatchObject({ requestId: 'd' });
  });

  test.each(['', '{', '[]', `{"detail":"${'x'.repeat(2 ** 20)}"}`])(
    'with a body that is none',
    async (body) => {
      expect(await refusal(body)).toMatchObject({ message: 'the server answered with HTTP status 409' });
    },
  );

  test.each(['text/html', 'application/jsonp', ''])('of type %j is not read', async (type) => {
    const response = new Response('{"detail":"x"}', { status: 502, headers: { 'Content-Type': type } });
    expect(await serviceErrorOf(response)).toMatchObject({ status: 502, code: undefined });
    expect(response.bodyUsed).toBe(true);
    expect((await serviceErrorOf(response)).message).not.toBe('x');
  });

  test('without a type or a body', async () => {
    expect(await serviceErrorOf(new Response(null, { status: 404 }))).toMatchObject({ status: 404 });
  });
});
