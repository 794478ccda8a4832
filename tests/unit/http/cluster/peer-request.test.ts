/** Requests that say that another host has passed them on, at a service of this process. */
import { beforeEach, expect, test } from '@jest/globals';
import type { Request } from 'express';
import http from 'node:http';
import type { Asker } from '../../../../src/cluster/model/message.ts';
import { isPassedOn, peerRequest } from '../../../../src/http/cluster/peer-request.ts';
import { request } from '../../../support/http-client.ts';
import { listeners } from '../../../support/listening.ts';
import { MemoryLogger } from '../../../support/memory-logger.ts';
import { appOf, clusterOf, olga } from '../../../support/plain-cluster.ts';

const listen = listeners();
const asker = { name: 'rita', role: 'viewer' as const, workdirs: ['/labs'] };
/** Who asks, by each pass. */
const passes: Readonly<Record<string, Asker>> = { ritas: asker, nobodys: null };

let log: MemoryLogger;
/** What each pass was said to be good for. */
let shown: unknown[];
beforeEach(() => {
  log = new MemoryLogger();
  shown = [];
});

/** What a service answers: as whom it takes the one who asks, and whether it is to answer for itself alone. */
async function answer(pass: string | undefined, isLoginRequired: boolean) {
  const cluster = clusterOf([], {
    redeem: (given, wanted) => {
      shown.push([given, wanted]);
      return given in passes ? { asker: passes[given] ?? null } : undefined;
    },
  });
  const app = appOf(
    undefined,
    peerRequest({ cluster, isLoginRequired, log }, (req, _res, next) => {
      req.principal = olga;
      next();
    }),
    (req, res) => {
      const { name, role, workdirs, loggedInBy, revoked } = req.principal ?? olga;
      res.json({ name, role, workdirs, loggedInBy, isRevoked: revoked.aborted, alone: isPassedOn(req) });
    },
  );
  const url = `http://127.0.0.1:${await listen(http.createServer(app))}`;
  return request(url, '/base/jobs?limit=1', {
    method: 'POST',
    headers: pass === undefined ? {} : { 'x-lab-api-pass': pass },
  });
}

test('what comes without a pass is let in by the others, and asks the whole cluster', async () => {
  expect((await answer(undefined, true)).json).toMatchObject({ name: 'olga', alone: false });
  expect(shown).toEqual([]);
});

test('what comes with a pass comes from whom that names, without a login, and asks this host alone', async () => {
  expect((await answer('ritas', true)).json).toEqual({
    ...asker,
    loggedInBy: 'host',
    isRevoked: false,
    alone: true,
  });
  // It is good for nothing else.
  expect(shown).toEqual([['ritas', { method: 'POST', path: '/base/jobs?limit=1' }]]);
  expect(log.entries).toEqual([]);
});

test('a pass of nobody is good where nobody logs in', async () => {
  expect((await answer('nobodys', false)).json).toMatchObject({ name: null, role: 'admin', alone: true });
});

test.each([
  ['a pass of nobody, where users log in', 'nobodys', true],
  ['a pass that no host has given', 'made-up', true],
  ['one where nobody logs in', 'made-up', false],
  ['an empty pass', '', false],
])(
  '%s is refused, whoever else would let it in, and that is logged',
  async (_what, pass, isLoginRequired) => {
    const reply = await answer(pass, isLoginRequired);
    expect([reply.status, reply.json.code]).toEqual([401, 'unauthorized']);
    expect(reply.json.detail).toContain('no host of this cluster has passed this request on');
    expect(log.entries).toMatchObject([{ level: 'warn', fields: { address: '127.0.0.1' } }]);
    // A pass is a secret as long as it holds.
    if (pass !== '') expect(JSON.stringify(log.entries)).not.toContain(pass);
  },
);

test('only what was let in so is passed on', () => {
  expect(isPassedOn({} as Request)).toBe(false);
  expect(isPassedOn({ isPassedOn: true } as Request)).toBe(true);
});
