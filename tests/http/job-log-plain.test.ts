/** The log keeps the bytes that were printed; `plain=true` leaves the escape sequences out, in every form of the log. */
import { beforeAll, expect, test } from '@jest/globals';
import { EventReader, logOf } from '../support/event-reader.ts';
import { jobThatPrints } from '../support/job-that-prints.ts';
import { expectProblem, wrongFields } from '../support/problem.ts';
import { startService, type RunningService } from '../support/service.ts';

const printed = '\x1b[31mred\x1b[0m one\n\x1b]0;title\x07two\n';
const plain = 'red one\ntwo\n';

let service: RunningService;
let path: string;
beforeAll(async () => {
  service = await startService();
  const id = await jobThatPrints(
    service,
    String.raw`printf '\033[31mred\033[0m one\n'`,
    String.raw`printf '\033]0;title\007two\n'`,
  );
  await service.ended(id);
  path = `/jobs/${id}/log`;
});

test('JSON: offsets are those of the file', async () => {
  const whole = { offset: 0, nextOffset: printed.length, complete: true };
  expect((await service.get(path)).json).toEqual({ log: printed, ...whole });
  expect((await service.get(`${path}?plain=false`)).json).toEqual({ log: printed, ...whole });
  expect((await service.get(`${path}?plain=true`)).json).toEqual({ log: plain, ...whole });
  expect((await service.get(`${path}?plain=true&tail=1`)).json).toMatchObject({
    log: 'two\n',
    offset: printed.indexOf('\x1b]'),
  });
});

test('text, followed or not', async () => {
  expect((await service.get(`${path}?output=text`)).text).toBe(printed);
  const text = await service.get(`${path}?output=text&plain=true`);
  expect(text).toMatchObject({
    text: plain,
    headers: { 'x-log-next-offset': String(printed.length), 'accept-ranges': 'none' },
  });
  expect((await service.get(`${path}?follow=true`)).text).toBe(printed);
  expect((await service.get(`${path}?follow=true&plain=true`)).text).toBe(plain);
});

test('events', async () => {
  const reply = await service.open(`${path}?plain=true`, { headers: { Accept: 'text/event-stream' } });
  expect(logOf(await new EventReader(reply).until('end'))).toBe(plain);
});

test('a Range is refused: it counts bytes of the file', async () => {
  const reply = await service.get(`${path}?output=text&plain=true`, { Range: 'bytes=0-4' });
  expectProblem(reply, 400, 'invalid-request');
  expect(wrongFields(reply)).toEqual(['plain']);
  expect(reply.json.detail).toContain('cannot be combined with Range');
});

test('?plain=yes is 400', async () => {
  const reply = await service.get(`${path}?plain=yes`);
  expectProblem(reply, 400, 'invalid-request');
  expect(wrongFields(reply)).toEqual(['plain']);
});

test('a sequence that is cut while the job runs comes whole with the next piece, and is left out', async () => {
  const id = await jobThatPrints(
    service,
    String.raw`printf 'a\033[3'`,
    'wait_for rest',
    String.raw`printf '1mb'`,
  );
  const log = `/jobs/${id}/log`;
  await service.ground.waitsFor('rest');
  const follower = await service.open(`${log}?follow=true&plain=true`);
  const events = new EventReader(
    await service.open(`${log}?plain=true`, { headers: { Accept: 'text/event-stream' } }),
  );
  const first = await service.get(`${log}?plain=true`);
  expect(first.json).toEqual({ log: 'a', offset: 0, nextOffset: 1, complete: false });
  const text = await service.get(`${log}?plain=true&output=text`);
  expect(text).toMatchObject({ text: 'a', headers: { 'x-log-next-offset': '1', 'x-more-data': 'true' } });
  expect((await service.get(log)).json).toMatchObject({ log: 'a\x1b[3', nextOffset: 4 });
  service.ground.let('rest');
  await service.ended(id);
  expect((await service.get(`${log}?plain=true&offset=1`)).json).toMatchObject({ log: 'b', nextOffset: 7 });
  let followed = '';
  for await (const piece of follower as AsyncIterable<Buffer>) followed += piece.toString();
  expect(followed).toBe('ab');
  expect(logOf(await events.until('end'))).toBe('ab');
});
