import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Response } from 'express';
import { EventEmitter, getEventListeners } from 'node:events';
import { anybody, type Principal } from '../../../../src/access/model/principal.ts';
import { endWithLogin, loginEndOr, whyEnded } from '../../../../src/http/reply/login-end.ts';
import { AppError } from '../../../../src/lib/app-error.ts';
import { LoginEnds } from '../../../../src/restricted/login-ends.ts';

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

function exchange() {
  const login = new AbortController();
  const principal: Principal = { ...anybody, name: 'olga', revoked: login.signal };
  const res = Object.assign(new EventEmitter(), { writableFinished: false, destroy: jest.fn() });
  return { login, req: { principal }, res, asReply: res as unknown as Response };
}

test('a reply that goes on after the end of its login is cut off', () => {
  const { login, req, res, asReply } = exchange();
  endWithLogin(req, asReply);
  login.abort();
  jest.advanceTimersByTime(1_900);
  expect(res.destroy).not.toHaveBeenCalled();
  jest.advanceTimersByTime(200);
  expect(res.destroy).toHaveBeenCalledTimes(1);
});

test('one that has ended leaves nothing behind at the login', () => {
  const { login, req, res, asReply } = exchange();
  endWithLogin(req, asReply);
  res.emit('close');
  expect(getEventListeners(login.signal, 'abort')).toEqual([]);
});

test('a login that has ended gets none', () => {
  const { login, req, asReply } = exchange();
  login.abort();
  expect(() => endWithLogin(req, asReply)).toThrow('the login does not hold any more');
});

test('what was ended with the login says so, and not that the service stops', () => {
  const shutdown = new AbortController();
  const login = new AbortController();
  const end = new LoginEnds(shutdown.signal).signalOf(login.signal);
  const stopping = new AppError('shutting-down', 'the service stops');
  expect(loginEndOr(stopping, end)).toBe(stopping);
  login.abort();
  expect(loginEndOr(stopping, end)).toMatchObject({ code: 'unauthorized' });
  expect(whyEnded(end)).toMatch(/login/);
  expect(whyEnded(shutdown.signal)).toMatch(/service/);
});
