import type * as z from 'zod';
import { invalidRequest } from '../../lib/app-error.ts';
import { issueWords } from '../../lib/text/issue-words.ts';
import express, { type RequestHandler } from 'express';

/** Clients of `netlab api` do not always name the content type, so every body is read as JSON. */
export function jsonBody(limit: number): RequestHandler {
  return express.json({ limit, strict: false, type: () => true });
}

/** A parsed JSON body as its schema has it. @throws AppError `invalid-request` that names each wrong field. */
export function checkedBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body, { error: issueWords });
  if (!parsed.success) throw invalidRequest(parsed.error.issues);
  return parsed.data;
}
