/** HTTP Basic by express-basic-auth, and the places where that package could do harm. */
import { describe, expect, test } from '@jest/globals';
import express, { type Request, type Response } from 'express';
import type { IBasicAuthedRequest } from 'express-basic-auth';
import { authentication } from '../../../../src/http/middleware/authentication.ts';
import { errors } from '../../../../src/http/middleware/errors.ts';
import { requestId } from '../../../../src/http/middleware/request-id.ts';
import type { User } from '../../../../src/access/model/user.ts';
import { FailedLogins } from '../../../../src/access/failed-logins.ts';
import { LocalLogins } from '../../../../src/access/local-logins.ts';
import { PasswordChecks } from '../../../../src/access/passwords/password-checks.ts';
import { answerOf } from '../../../support/answer-of.ts';
import { ChangingUsers, sessionsIn } from '../../../support/logins.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';

function guarded({
  password = 'right',
  isPassword = async (_reply?: Response) => Promise.resolve(true),
} = {}) {
  const user = (name: string, kept: User['password']): User => ({
    name,
    role: 'admin',
    workdirs: null,
    password: kept,
    tokens: [],
  });
  const users = new ChangingUsers([
    user('ann', { kind: 'plain', text: password }),
    user('slow', { kind: 'hash', hash: 'x' }),
  ]);
  let reply: Response | undefined;
  const checks = new PasswordChecks({ isPassword: async () => isPassword(reply), decoy: () => undefined });
  const log = new MemoryLogger();
  const app = express()
    .use(requestId, (_req, res, next) => {
      reply = res;
      next();
    })
    .use(
      authentication({
        config: { basePath: '', tls: undefined },
        logins: new LocalLogins({
          users,
          checks,
          sessions: sessionsIn(),
          uses: { note: () => undefined },
          failures: new FailedLogins(),
        }),
        proxyUser: undefined,
        probes: (_req, _res, next) => next(),
        log,
      }),
    )
    .use((req: Request, res: Response) => {
      const { auth } = req as Request & Partial<IBasicAuthedRequest>;
      res.send(`read by ${auth?.user}`);
    })
    .use(errors(log));
  const ask = async (name: string, given: string) => {
    const words = Buffer.from(`${name}:${given}`).toString('base64');
    return answerOf(app, { headers: { Authorization: `Basic ${words}` } });
  };
  return { ask, log };
}

describe('a login by HTTP Basic', () => {
  test.each(['with:colons:', '\ufeffright', 'p\u00e4ss \u2713', 'two\u2028lines', 'two\u2029parts', ''])(
    'takes the password %j, and no other',
    async (password) => {
      const { ask } = guarded({ password });
      expect((await ask('ann', password)).status).toBe(200);
      const wrong = await ask('ann', `${password}\u2028`);
      expect(wrong.status).toBe(401);
      expect(wrong.headers['content-type']).toBe('application/problem+json; charset=utf-8');
    },
  );

  test('is an internal error when the hash cannot be computed, and ends no process', async () => {
    const isPassword = async (): Promise<boolean> => Promise.reject(new Error('no memory'));
    const { ask, log } = guarded({ isPassword });
    expect(await ask('slow', 'right')).toMatchObject({ status: 500 });
    expect(log.errors()).toHaveLength(1);
  });

  test('ends no process when a reply was begun while the password was checked', async () => {
    const isPassword = async (reply?: Response): Promise<boolean> => {
      reply?.write('half');
      return Promise.resolve(false);
    };
    const { ask } = guarded({ isPassword });
    expect(await ask('slow', 'wrong')).toMatchObject({ status: 200, complete: false });
  });
});
