import type { Response } from 'express';

/** JSON that ends with a line feed: in a terminal, what comes after it begins a line of its own. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Sends JSON, under the content type that is set, else under that of JSON. */
export function sendJson(res: Response, text: string): void {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  // As bytes: Express would take the content type of a text apart and put it together again.
  res.send(Buffer.from(text));
}
