import type { Response } from 'express';

/** Sends the body under the headers that are set, as Express's `send` does, which takes many more steps for it. */
export function sendBody(res: Response, body: string, encoding: 'utf8' | 'latin1'): void {
  const { headers } = res.req;
  // Express knows when the client has the reply already.
  if (headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined) {
    res.send(Buffer.from(body, encoding));
    return;
  }
  res.setHeader('Content-Length', Buffer.byteLength(body, encoding));
  // A text, because Node puts it into one write with the headers; for bytes it would need a second buffer.
  res.end(body, encoding);
}
