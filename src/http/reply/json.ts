import type { Response } from 'express';
import { sendBody } from './send-body.ts';

/** JSON that ends with a line feed: in a terminal, what comes after it begins a line of its own. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

/** Sends JSON, under the content type that is set, else under that of JSON. */
export function sendJson(res: Response, text: string): void {
  if (!res.hasHeader('Content-Type')) res.setHeader('Content-Type', 'application/json; charset=utf-8');
  sendBody(res, text, 'utf8');
}
