/** Logins over SSH, by the rules and the counters of HTTP. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { utils } from 'ssh2';
import { fingerprintOf } from '../../src/lib/net/ssh-key.ts';
import { maxLogins } from '../../src/ssh/limits.ts';
import { linesIn } from '../support/audit-lines.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { makeGround, startService, type RunningService } from '../support/service.ts';
import { sshInfoOf } from '../support/ssh.ts';
import { sshClient, sshClosed, sshExec } from '../support/ssh-client.ts';
import { basic, bearer, login, makeTeam, passwords, tokens, type Team } from '../support/team.ts';

const ground = makeGround();
const log = new MemoryLogger();
const pair = utils.generateKeyPairSync('ed25519');
const weak = utils.generateKeyPairSync('rsa', { bits: 2048 });
const admin = basic(login.user, login.password);

let team: Team;
let service: RunningService;
let port: number;
const start = async () => {
  const env = { ...team.env, LAB_API_SSH_PORT: '0' };
  service = await startService({ ground, env, log, client: { headers: admin } });
  ({ port } = await sshInfoOf(service));
};
const withKey = () =>
  team.change((users) => users.map((one) => (one.name === 'ci' ? { ...one, keys: [pair.public] } : one)));

beforeAll(async () => {
  team = await makeTeam(ground.root);
  withKey();
  await start();
});
afterAll(async () => service.stop());

/** As ssh2 gives it: name, instructions, language, prompts, and the function for the answers. */
type Prompted = [string, string, string, unknown, (answers: string[]) => void];

const password = (text: string) => ({ username: 'r1.demo', password: text });
const key = (text: string) => ({ username: 'r1.demo', privateKey: text });
const refused = async (config: Parameters<typeof sshClient>[1]) =>
  expect(sshClient(port, config)).rejects.toThrow(/authentication methods failed|closed|ended/);
const audit = () => linesIn(log).filter(({ operation }) => operation === 'loginOverSsh');

describe('the host key', () => {
  test('is made once, for the service alone, and told', async () => {
    const file = path.join(ground.dataDir, 'ssh', 'host_ed25519');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = await sshInfoOf(service);
    expect(before).toEqual({
      port,
      hostKey: expect.stringMatching(/^ssh-ed25519 AAAA/),
      fingerprint: fingerprintOf(Buffer.from(before.hostKey.split(' ')[1] ?? '', 'base64')),
    });
    let shown = '';
    const look = (bytes: Buffer) => {
      shown = fingerprintOf(bytes);
      return true;
    };
    (await sshClient(port, { ...password(tokens.ci), hostVerifier: look })).end();
    expect(shown).toBe(before.fingerprint);
    await service.stop();
    await start();
    expect(await sshInfoOf(service)).toEqual({ ...before, port });
  });

  test('that is damaged, and a port that is taken, are reasons not to start', async () => {
    const other = await startService({ ground: makeGround() });
    const { port: taken } = new URL(other.url);
    const env = { LAB_API_SSH_PORT: taken };
    await expect(startService({ ground: makeGround(), env })).rejects.toThrow(
      `127.0.0.1 port ${taken} is in use by another program; stop it, or choose another LAB_API_SSH_PORT`,
    );
    for (const text of ['no key', weak.private]) {
      const damaged = makeGround();
      const directory = path.join(damaged.dataDir, 'ssh');
      mkdirSync(directory, { recursive: true });
      writeFileSync(path.join(directory, 'host_ed25519'), text);
      await expect(startService({ ground: damaged, env: { LAB_API_SSH_PORT: '0' } })).rejects.toThrow(
        'host_ed25519 is no ed25519 key of OpenSSH without a passphrase: restore it, or remove it',
      );
    }
  });
});

describe('a login', () => {
  test('is by token, by user and password, or by key', async () => {
    for (const [config, name, way] of [
      [password(tokens.ci), 'ci', 'token'],
      [password(`ops:${passwords.ops}`), 'ops', 'password'],
      [key(pair.private), 'ci', 'key'],
    ] as const) {
      (await sshClient(port, config)).end();
      await eventually('the audit has it', () => audit().at(-1)?.loggedInBy === way);
      expect(audit().at(-1)).toMatchObject({
        user: name,
        status: 200,
        method: 'SSH',
        lab: 'demo',
        node: 'r1',
      });
    }
  });

  test.each(['rsa', 'ecdsa'] as const)('is by a key of %s as well', async (type) => {
    const pairOfType = utils.generateKeyPairSync(type as 'rsa', { bits: type === 'rsa' ? 2048 : 256 });
    team.change((users) =>
      users.map((one) => (one.name === 'ci' ? { ...one, keys: [pairOfType.public] } : one)),
    );
    const client = await eventually('the users are read again', async () =>
      sshClient(port, key(pairOfType.private)).catch(() => undefined),
    );
    client.end();
    withKey();
    await eventually('the key is known again', async () =>
      sshClient(port, key(pair.private)).then(
        (other) => (other.end(), true),
        () => false,
      ),
    );
  });

  test('that is wrong is refused alike, whatever the lab and the user are', async () => {
    const before = audit().length;
    await refused(password('tok_0000000c_wrong'));
    await refused(password('ops:wrong'));
    await refused({ username: 'no.such', password: 'nobody:wrong' });
    await refused({ username: '', password: '' });
    await eventually('the audit has them', () => audit().length >= before + 4);
    for (const line of audit().slice(before, before + 4))
      expect(line).toMatchObject({ status: 401, error: 'unauthorized' });
  });

  test('is by an answer to a prompt that says how, a few times', async () => {
    const prompts: unknown[] = [];
    const offered: unknown[] = [];
    const answering = (answer: string) => ({
      username: 'r1.demo',
      authHandler: (left: unknown) => {
        offered.push(left);
        return {
          type: 'keyboard-interactive' as const,
          username: 'r1.demo',
          prompt: (...[, , , asked, finish]: Prompted) => {
            prompts.push(asked);
            finish([answer]);
          },
        };
      },
    });
    (await sshClient(port, answering(tokens.ci))).end();
    expect(prompts).toEqual([[{ prompt: 'Token, or USER:PASSWORD, as the password: ', echo: false }]]);
    await refused(answering('wrong'));
    expect(prompts).toHaveLength(1 + maxLogins);
    // OpenSSH would ask for the password as often, without the words.
    expect(offered.at(-1)).toEqual(['publickey', 'keyboard-interactive']);
  });

  test('with an unknown key is refused, and is no guess', async () => {
    const before = audit().length;
    for (let round = 0; round < 40; round += 1) await refused(key(weak.private));
    expect(audit()).toHaveLength(before);
    (await sshClient(port, password(tokens.ci))).end();
  });

  test('needs a secret', async () => {
    await refused({ username: 'r1.demo' });
  });

  test('of a viewer opens no node, and that of an operator only what they may see', async () => {
    const viewer = await sshClient(port, password(`vera:${passwords.vera}`));
    expect(await sshExec(viewer, 'true')).toMatchObject({
      code: 255,
      said: 'lab-api: this needs the role operator, which vera (viewer) does not have\n',
    });
    viewer.end();
    team.change((users) => users.map((one) => (one.name === 'ci' ? { ...one, workdirs: [] } : one)));
    const narrow = await eventually('the users are read again', async () => {
      const { status, json } = await service.get('/session', bearer(tokens.ci));
      return status === 200 && json.workdirs?.length === 0 ? sshClient(port, password(tokens.ci)) : undefined;
    });
    const hidden = await sshExec(narrow, 'true');
    expect(hidden).toEqual({ code: 255, out: '', said: expect.stringContaining('no lab instance "demo"') });
    narrow.end();
    withKey();
  });

  test('ends its connections when it ends, with the reason', async () => {
    const said: string[] = [];
    const [byToken, byKey, byPassword] = [
      await eventually('the key is known again', async () => sshClient(port, key(pair.private))),
      await sshClient(port, { ...password(tokens.ci), debug: (line) => said.push(line) }),
      await sshClient(port, password(`ops:${passwords.ops}`)),
    ];
    const ends = [sshClosed(byToken), sshClosed(byKey)];
    team.change((users) => users.map((one) => (one.name === 'ci' ? { ...one, tokens: [] } : one)));
    await Promise.all(ends);
    expect(said).toContainEqual(
      expect.stringContaining('DISCONNECT (11, "the login does not hold any more: the user'),
    );
    // The others go on.
    expect((await sshExec(byPassword, 'true')).code).toBe(255);
    byPassword.end();
    withKey();
    await eventually(
      'the token is known again',
      async () => (await service.get('/session', bearer(tokens.ci))).status === 200,
    );
  });
});

test('a client that guesses is locked out, over HTTP as well, and a key still opens', async () => {
  for (let guess = 0; guess < 40; guess += 1)
    await sshClient(port, password('tok_0000000c_guess')).catch(() => undefined);
  const said: string[] = [];
  await refused({ ...password(tokens.ci), debug: (line) => said.push(line) });
  expect(said).toContainEqual(
    expect.stringContaining('DISCONNECT (11, "too many failed logins from this address; wait a minute")'),
  );
  expect((await service.get('/session', bearer(tokens.ci))).json).toMatchObject({
    code: 'too-many-attempts',
  });
  (await sshClient(port, key(pair.private))).end();
});

test('a server without users asks for no password', async () => {
  const other = await startService({
    ground: makeGround(),
    env: { LAB_API_SSH_PORT: String(await freePort()) },
  });
  const client = await sshClient((await sshInfoOf(other)).port, { username: 'r1.demo' });
  expect((await sshExec(client, 'true')).code).toBe(255);
  client.end();
  await other.stop();
  expect(readFileSync(path.join(other.ground.dataDir, 'ssh', 'host_ed25519'), 'utf8')).toContain('OPENSSH');
});
