import express, { type RequestHandler } from 'express';

/** Clients of `netlab api` do not always name the content type, so every body is read as JSON. */
export function jsonBody(limit: number): RequestHandler {
  return express.json({ limit, strict: false, type: () => true });
}
