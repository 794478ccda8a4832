import type { Response } from 'express';

/** JSON that ends with a line feed: in a terminal, what comes after it begins a line of its own. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Sends a value as JSON, under the content type that is set, else under that of JSON. */
export function sendJson(res: Response, value: unknown): void {
  if (res.get('Content-Type') === undefined) res.type('json');
  res.send(jsonText(value));
}
