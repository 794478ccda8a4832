import { afterEach, expect, jest, test } from '@jest/globals';
import { PassThrough } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { refuseUpload, withUpload } from '../../../../src/http/request/upload.ts';

afterEach(() => void jest.useRealTimers());

const until = new AbortController().signal;

/** A request whose body comes as the test writes it. */
function upload() {
  const body = new PassThrough();
  const socket = { destroy: jest.fn() };
  const req = Object.assign(body, { complete: false, headers: {}, socket }) as unknown as IncomingMessage;
  const res = new PassThrough() as unknown as ServerResponse;
  return { body, socket, req, res };
}

async function lengthOf(pieces: AsyncIterable<Uint8Array>): Promise<number> {
  let length = 0;
  for await (const piece of pieces) length += piece.length;
  return length;
}

test('a body is read to its end', async () => {
  const { body, req, res } = upload();
  const read = withUpload({ req, res, until }, lengthOf);
  body.write('one');
  body.end('two');
  expect(await read).toBe(6);
});

test('a byte a second is not waited for', async () => {
  jest.useFakeTimers();
  const { body, req, res } = upload();
  const read = withUpload({ req, res, until }, lengthOf);
  const refused = expect(read).rejects.toMatchObject({ code: 'request-timeout' });
  for (let second = 0; second < 31; second += 1) {
    body.write('x');
    await jest.advanceTimersByTimeAsync(1_000);
  }
  await refused;
});

test('a slow but steady client is', async () => {
  jest.useFakeTimers();
  const { body, req, res } = upload();
  const read = withUpload({ req, res, until }, lengthOf);
  for (let second = 0; second < 120; second += 1) {
    body.write(Buffer.alloc(4 * 1024));
    await jest.advanceTimersByTimeAsync(1_000);
  }
  body.end();
  expect(await read).toBe(120 * 4 * 1024);
});

test.each<[string, (request: Parameters<typeof refuseUpload>[0]) => Promise<void> | void]>([
  [
    'while its body is read',
    async ({ req, res }) => {
      const refuse = async (): Promise<never> => Promise.reject(new Error('refused'));
      await expect(withUpload({ req, res, until }, refuse)).rejects.toThrow();
    },
  ],
  ['before its body is read', refuseUpload],
])('a client that is answered %s is cut off when it sends on and on', async (_when, answer) => {
  jest.useFakeTimers();
  const { body, socket, req, res } = upload();
  body.write('a part');
  await answer({ req, res });
  res.emit('finish');
  await jest.advanceTimersByTimeAsync(1_900);
  expect(socket.destroy).not.toHaveBeenCalled();
  await jest.advanceTimersByTimeAsync(200);
  expect(socket.destroy).toHaveBeenCalledTimes(1);
});

test('a body that breaks off is none', async () => {
  const { body, req, res } = upload();
  const read = withUpload({ req, res, until }, lengthOf);
  body.write('a part');
  body.destroy();
  await expect(read).rejects.toMatchObject({ code: 'invalid-request' });
});

test('a body is read no more when the service stops, or the login has ended', async () => {
  const { body, req, res } = upload();
  const end = new AbortController();
  const read = withUpload({ req, res, until: end.signal }, lengthOf);
  body.write('a part');
  end.abort();
  await expect(read).rejects.toMatchObject({ code: 'shutting-down' });
});
