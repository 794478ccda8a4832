/** The log of a job as JSON and as bytes. Streams are in job-log-stream.test.ts. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { appendFileSync, rmSync } from 'node:fs';
import { jobThatPrints } from '../support/job-that-prints.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, topologyThat, type RunningService } from '../support/service.ts';

let service: RunningService;
beforeAll(async () => {
  service = await startService();
});

const lines = 'one\ntwo \u20ac\nthree\n';
const size = Buffer.byteLength(lines);

describe('of a job that has ended', () => {
  let path: string;
  beforeAll(async () => {
    const id = await jobThatPrints(service, "printf 'one\\ntwo \u20ac\\nthree\\n'");
    await service.ended(id);
    path = `/jobs/${id}/log`;
  });

  test('is JSON', async () => {
    const reply = await service.get(path);
    expect(reply).toMatchObject({
      status: 200,
      json: { log: lines, offset: 0, nextOffset: size, complete: true },
    });
    expect(reply.headers['content-type']).toMatch(/^application\/json\b/);
    expect(Object.keys(reply.json)).toEqual(['log', 'offset', 'nextOffset', 'complete']);
  });

  test.each([
    { query: 'offset=0', log: lines, offset: 0, nextOffset: size },
    { query: 'offset=4', log: 'two \u20ac\nthree\n', offset: 4, nextOffset: size },
    { query: `offset=${size}`, log: '', offset: size, nextOffset: size },
    { query: 'offset=1000', log: '', offset: 1000, nextOffset: 1000 },
    {
      query: `offset=${Number.MAX_SAFE_INTEGER}`,
      log: '',
      offset: Number.MAX_SAFE_INTEGER,
      nextOffset: Number.MAX_SAFE_INTEGER,
    },
    { query: 'tail=1', log: 'three\n', offset: size - 6, nextOffset: size },
    { query: 'tail=2', log: 'two \u20ac\nthree\n', offset: 4, nextOffset: size },
    { query: 'tail=0', log: '', offset: size, nextOffset: size },
    { query: 'tail=99', log: lines, offset: 0, nextOffset: size },
    { query: 'output=json', log: lines, offset: 0, nextOffset: size },
  ])('?$query', async ({ query, log, offset, nextOffset }) => {
    expect((await service.get(`${path}?${query}`)).json).toEqual({ log, offset, nextOffset, complete: true });
  });

  test('?follow=true&output=json is 400: a JSON document has its end before it is sent', async () => {
    const reply = await service.get(`${path}?follow=true&output=json`);
    expectProblem(reply, 400, 'invalid-request');
    expect(reply.json.errors.map(({ field }: { field: string }) => field)).toEqual(['follow']);
  });

  test.each([
    { query: 'output=text', text: lines, next: size },
    { query: 'output=text&offset=4', text: 'two \u20ac\nthree\n', next: size },
    { query: 'output=text&offset=1000', text: '', next: 1000 },
    { query: 'output=text&tail=1', text: 'three\n', next: size },
  ])('?$query', async ({ query, text, next }) => {
    const reply = await service.get(`${path}?${query}`);
    expect(reply).toMatchObject({ status: 200, text });
    expect(reply.headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(Buffer.byteLength(text)),
      'x-log-next-offset': String(next),
      'x-more-data': 'false',
    });
  });

  test.each<[string, string]>([
    ['text/plain', 'text/plain; charset=utf-8'],
    ['text/*', 'text/plain; charset=utf-8'],
    ['*/*', 'application/json; charset=utf-8'],
    ['application/json, text/plain', 'application/json; charset=utf-8'],
    ['text/event-stream', 'text/event-stream; charset=utf-8'],
    ['image/png', 'application/json; charset=utf-8'],
  ])('Accept: %s', async (accept, type) => {
    const reply = await service.get(path, { Accept: accept });
    expect(reply).toMatchObject({ status: 200, headers: { 'content-type': type, vary: 'Accept' } });
  });

  test.each([
    { range: 'bytes=0-2', text: 'one', contentRange: `bytes 0-2/${size}`, next: 3, more: 'true' },
    {
      range: 'bytes=4-',
      text: 'two \u20ac\nthree\n',
      contentRange: `bytes 4-${size - 1}/${size}`,
      next: size,
      more: 'false',
    },
  ])('Range: $range is 206', async ({ range, text, contentRange, next, more }) => {
    const reply = await service.get(`${path}?output=text`, { Range: range });
    expect(reply).toMatchObject({ status: 206, text });
    expect(reply.headers).toMatchObject({
      'content-range': contentRange,
      'content-length': String(Buffer.byteLength(text)),
      'accept-ranges': 'bytes',
      'x-log-next-offset': String(next),
      'x-more-data': more,
    });
  });

  test('a Range behind the end is 416', async () => {
    const reply = await service.get(`${path}?output=text`, { Range: `bytes=${size}-` });
    expectProblem(reply, 416, 'range-not-satisfiable');
    expect(reply.headers['content-range']).toBe(`bytes */${size}`);
  });

  test('HEAD has the headers of the whole, with a Range too (RFC 9110, section 14.2)', async () => {
    for (const headers of [{}, { Range: 'bytes=0-2' }] as Record<string, string>[]) {
      const reply = await service.request(`${path}?output=text`, { method: 'HEAD', headers });
      expect(reply).toMatchObject({ status: 200, text: '' });
      expect(reply.headers).toMatchObject({
        'content-length': String(size),
        'x-log-next-offset': String(size),
      });
    }
    for (const query of ['', '?follow=true', '?offset=1000', '?tail=1']) {
      expect(await service.request(`${path}${query}`, { method: 'HEAD' })).toMatchObject({
        status: 200,
        text: '',
      });
    }
    const stream = await service.request(path, { method: 'HEAD', headers: { Accept: 'text/event-stream' } });
    expect(stream).toMatchObject({
      status: 200,
      text: '',
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    });
  });

  test.each([
    ['offset=-1', 'offset'],
    ['offset=x', 'offset'],
    ['offset=1e3', 'offset'],
    ['offset=99999999999999999999', 'offset'],
    ['offset=1&offset=2', 'offset'],
    ['tail=-1', 'tail'],
    ['tail=1000001', 'tail'],
    ['offset=1&tail=1', 'tail'],
    ['output=html', 'output'],
    ['follow=yes', 'follow'],
  ])('?%s is 400', async (query, field) => {
    const reply = await service.get(`${path}?${query}`);
    expectProblem(reply, 400, 'invalid-request');
    expect(wrongFields(reply)).toEqual([field]);
  });

  test('does not change when something writes to the file later', async () => {
    const id = await jobThatPrints(service, 'echo all');
    const { logPath } = await service.ended(id);
    appendFileSync(String(logPath), 'a stray\n');
    expect((await service.get(`/jobs/${id}/log`)).json).toEqual({
      log: 'all\n',
      offset: 0,
      nextOffset: 4,
      complete: true,
    });
    expect(await service.logText(id)).toBe('all\n');
    expect((await service.get(`/jobs/${id}/log?follow=true`)).text).toBe('all\n');
  });

  test('is 404 log-not-found when its file is gone', async () => {
    const id = await jobThatPrints(service, 'echo all');
    rmSync(String((await service.ended(id)).logPath));
    for (const query of ['', '?output=text', '?tail=1']) {
      expectProblem(await service.get(`/jobs/${id}/log${query}`), 404, 'log-not-found');
    }
  });
});

describe('of a job that runs', () => {
  test('is read piece by piece without cutting a character, and nothing is read twice', async () => {
    const id = await jobThatPrints(service, "printf 'a\\342'", 'wait_for rest', "printf '\\202\\254b'");
    const path = `/jobs/${id}/log`;
    await service.ground.waitsFor('rest');
    expect((await service.get(path)).json).toEqual({ log: 'a', offset: 0, nextOffset: 1, complete: false });
    const text = await service.get(`${path}?output=text`);
    expect(text).toMatchObject({ text: 'a', headers: { 'x-log-next-offset': '1', 'x-more-data': 'true' } });
    service.ground.let('rest');
    await service.ended(id);
    expect((await service.get(`${path}?offset=1`)).json).toEqual({
      log: '\u20acb',
      offset: 1,
      nextOffset: 5,
      complete: true,
    });
  });

  test('is empty while it waits in the queue', async () => {
    const workdir = service.ground.makeWorkdir('queue');
    const first = await service.start({
      action: 'create',
      workdir,
      topology: topologyThat('wait_for queue-go'),
    });
    await service.ground.waitsFor('queue-go');
    const second = await service.start({ action: 'create', workdir, topology: topologyThat() });
    expect((await service.get(`/jobs/${second}/log`)).json).toEqual({
      log: '',
      offset: 0,
      nextOffset: 0,
      complete: false,
    });
    const range = await service.get(`/jobs/${second}/log?output=text`, { Range: 'bytes=0-' });
    expectProblem(range, 416, 'range-not-satisfiable');
    service.ground.let('queue-go');
    await service.ended(second);
    await service.ended(first);
  });
});

describe('with bytes that are no text', () => {
  test('JSON shows U+FFFD, text gives the bytes, and offsets count bytes', async () => {
    const id = await jobThatPrints(service, "printf 'a\\377\\376b\\342\\202'");
    await service.ended(id);
    const reply = await service.get(`/jobs/${id}/log`);
    expect(reply.json).toEqual({ log: 'a\ufffd\ufffdb\ufffd', offset: 0, nextOffset: 6, complete: true });
    const bytes = await service.get(`/jobs/${id}/log?output=text`);
    expect(bytes.bytes).toEqual(Buffer.from([0x61, 0xff, 0xfe, 0x62, 0xe2, 0x82]));
  });
});

test('a long log arrives whole in every form', async () => {
  const id = await jobThatPrints(service, 'seq 1 60000 | sed s/$/\u20ac/');
  await service.ended(id);
  const expected = Array.from({ length: 60_000 }, (_, index) => `${index + 1}\u20ac\n`).join('');
  expect((await service.get(`/jobs/${id}/log`)).json.log).toBe(expected);
  expect(await service.logText(id)).toBe(expected);
  expect((await service.get(`/jobs/${id}/log?tail=20000`)).json.log).toBe(
    expected.split('\n').slice(-20_001).join('\n'),
  );
  const events = await service.get(`/jobs/${id}/log`, { Accept: 'text/event-stream' });
  const pieces = [...events.text.matchAll(/event: log\nid: \d+\ndata: (.+)\n/g)].map(
    ([, data]) => (JSON.parse(String(data)) as { log: string }).log,
  );
  expect(pieces.length).toBeGreaterThan(1);
  expect(pieces.join('')).toBe(expected);
});

describe('with ?plain=true', () => {
  const printed = '\x1b[31mred\x1b[0m one\n\x1b]0;title\x07two\n';
  const plain = 'red one\ntwo\n';
  let path: string;
  beforeAll(async () => {
    const id = await jobThatPrints(
      service,
      String.raw`printf '\033[31mred\033[0m one\n\033]0;title\007two\n'`,
    );
    await service.ended(id);
    path = `/jobs/${id}/log`;
  });

  test('has no escape sequences in any form; offsets are those of the file', async () => {
    const whole = { offset: 0, nextOffset: printed.length, complete: true };
    expect((await service.get(`${path}?plain=false`)).json).toEqual({ log: printed, ...whole });
    expect((await service.get(`${path}?plain=true`)).json).toEqual({ log: plain, ...whole });
    expect((await service.get(`${path}?plain=true&tail=1`)).json).toMatchObject({
      log: 'two\n',
      offset: printed.indexOf('\x1b]'),
    });
    for (const query of ['output=text', 'follow=true'])
      expect((await service.get(`${path}?${query}&plain=true`)).text).toBe(plain);
    const events = await service.get(`${path}?plain=true`, { Accept: 'text/event-stream' });
    expect(events.text).toContain(JSON.stringify(plain));
  });

  test.each([
    ['a Range is refused: it counts bytes of the file', 'output=text&plain=true', { Range: 'bytes=0-4' }],
    ['another value is refused', 'plain=yes', {}],
  ])('%s', async (_what, query, headers) => {
    const reply = await service.get(`${path}?${query}`, headers);
    expectProblem(reply, 400, 'invalid-request');
    expect(wrongFields(reply)).toEqual(['plain']);
  });
});
