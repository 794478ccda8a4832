/** The commands that speak to a service, before a server that is none, or means harm. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http, { type ServerResponse } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo } from 'node:net';
import path from 'node:path';
import { harmful } from '../../src/lib/text/harmless-text.ts';
import { makePair, opensslMissing } from '../support/certificates.ts';
import { runProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const directory = temporaryDirectory();

/** A title, a colour, and a character that is a whole CSI to terminals. */
const escapes = 'a\u001b]0;title\u0007\u001b[31mb\u009b2Jc';

const job = {
  id: escapes,
  action: escapes,
  state: escapes,
  createdAt: escapes,
  workdir: escapes,
  error: `${escapes}\u202e\u2066`,
  warnings: [escapes],
  instance: null,
  progress: null,
  queuePosition: null,
  startedAt: null,
  exitCode: 256,
  [escapes]: escapes,
};

const lab = { id: escapes, name: escapes, state: escapes, owner: escapes, workdir: escapes, nodes: [] };
const report = { name: escapes, format: escapes, description: escapes };
const stoppedLab = { workdir: escapes, startJob: escapes, instance: escapes, owner: escapes };

const times = { createdAt: escapes, modifiedAt: escapes };
const workspace = { name: escapes, workdir: escapes, owner: escapes, lab: escapes, size: 1, ...times };

const diskUse = {
  fileSystems: [{ directory: escapes, free: 1, total: null }],
  kinds: [{ kind: escapes, size: 1 }],
  users: [{ user: escapes, jobs: 1, workspaces: 1 }],
  largestWorkspaces: [{ name: escapes, owner: escapes, size: 1 }],
  largestJobs: [{ id: escapes, action: escapes, requestedBy: escapes, size: 1 }],
  unmeasuredWorkspaces: escapes,
};

const auditRecord = { time: escapes, event: escapes, user: escapes, operation: escapes, job: escapes };

function json(res: ServerResponse, value: unknown, status = 200): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(value));
}

function events(res: ServerResponse, ...list: readonly string[]): void {
  res.writeHead(200, { 'Content-Type': 'text/event-stream' });
  res.end(list.map((event) => `${event}\n\n`).join(''));
}

function endlessly(res: ServerResponse, contentType: string, start: string): void {
  res.writeHead(200, { 'Content-Type': contentType }).write(start);
  const piece = Buffer.alloc(1024 * 1024, 'a');
  const goOn = (): void => {
    if (res.destroyed) return;
    if (res.write(piece)) setImmediate(goOn);
    else res.once('drain', goOn);
  };
  goOn();
}

/** What the server answers to whatever it is asked, by the first part of the path. */
const answers: Readonly<Record<string, (res: ServerResponse, url: string) => void>> = {
  escapes: (res, url) => {
    if (url.includes('/jobs?')) return json(res, { jobs: [job], nextCursor: null });
    if (url.includes('/reports')) return json(res, { reports: [report] });
    if (url.includes('/labs')) return json(res, { labs: [lab] });
    if (url.includes('/audit')) return json(res, { entries: [auditRecord], nextCursor: null });
    if (url.includes('/workspaces')) return json(res, { workspaces: [workspace] });
    if (url.includes('/disk')) return json(res, diskUse);
    if (url.includes('/stopped-labs')) return json(res, { stoppedLabs: [stoppedLab] });
    if (!url.includes('/log')) return json(res, job);
    if (url.includes('output=text')) return void res.end(`${escapes}\n`);
    const data = JSON.stringify({ log: `${escapes}\n`, nextOffset: 1 });
    events(res, `event: log\ndata: ${data}`, 'event: end\ndata: {"state":"success"}');
  },
  sshOption: (res) => void res.end('Host r1.x\n  User r1.x\nMatch exec "id"\n'),
  sshHost: (res) => void res.end('Host git.example\n  HostName 192.0.2.1\n'),
  feed: (res) => {
    const event = JSON.stringify({ change: escapes, at: escapes, message: escapes, job });
    events(res, `event: job\ndata: ${event}`);
  },
  away: (res) => json(res, { labs: [], missingHosts: ['lab2'], missingClis: ['netlab'] }),
  failed: (res) => json(res, { ...job, state: 'failed' }),
  refusal: (res) =>
    json(res, { detail: `${escapes}\u202e!`, errors: [{ field: escapes, message: `${escapes}d` }] }, 400),
  page: (res) => void res.end(`${escapes}<html>`),
  null: (res) => json(res, null),
  numbers: (res) => json(res, { id: 5 }),
  endless: (res, url) =>
    endlessly(res, url.includes('/log') ? 'text/event-stream' : 'application/json', '{"a":"'),
  cutOff: (res) => {
    res.writeHead(200, { 'Content-Length': '100' }).write('abc', () => res.destroy());
  },
  noGzip: (res) => void res.writeHead(200, { 'Content-Encoding': 'gzip' }).end('no gzip'),
  oddFeed: (res) => events(res, 'event: job\ndata: {"job":5}'),
  brokenEvents: (res) => events(res, 'event: log\ndata: {oops'),
  long: (res, url) => {
    const text = 'line\n'.repeat(10_000);
    if (url.includes('output=text')) res.end(text.repeat(100));
    else
      events(
        res,
        ...Array.from(
          { length: 100 },
          (_, at) => `event: log\ndata: ${JSON.stringify({ log: text, nextOffset: at })}`,
        ),
      );
  },
};

const server = http.createServer((req, res) => {
  res.on('error', () => undefined);
  answers[(req.url ?? '').split('/')[1] ?? '']?.(res, req.url ?? '');
});
let address: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const bare = { PATH: process.env['PATH'], HOME: '/nonexistent' };

async function ran(answer: string, ...args: readonly string[]) {
  const run = runProgram(args, {
    ...bare,
    LAB_API_URL: `${address}/${answer}`,
    NODE_OPTIONS: '--max-old-space-size=200',
  });
  return { exitCode: await run.exit, output: run.output() };
}

describe('nothing that a terminal obeys is printed', () => {
  test.each([
    ['jobs'],
    ['jobs', '-o', 'json'],
    ['job', 'x'],
    ['job', 'x', '-o', 'json'],
    ['retry', 'x'],
    ['start', 'up'],
    ['logs', 'x'],
    ['logs', '-f', 'x'],
    ['labs'],
    ['labs', '--all'],
    ['workspaces'],
    ['report', 'x'],
    ['report', 'x', '-o', 'json'],
    ['du'],
    ['du', '-o', 'json'],
    ['audit'],
    ['audit', '-o', 'json'],
  ])('by lab %s %s %s', async (...args) => {
    const { exitCode, output } = await ran('escapes', ...args.filter((word) => word !== undefined));
    expect(exitCode).toBe(0);
    expect(output.replaceAll('\n', '')).not.toMatch(harmful);
    expect(output).toMatch(/a.*b/);
  });

  test('by a refusal', async () => {
    expect(await ran('refusal', 'jobs')).toEqual({ exitCode: 2, output: 'lab: abc !\nlab:   abc: abcd\n' });
  });
});

describe('one sentence and an exit code tell that this is no lab-api:', () => {
  test.each([
    ['page', 'jobs'],
    ['numbers', 'start up'],
    ['endless', 'jobs'],
    ['endless', 'logs -f x'],
    ['brokenEvents', 'logs -f x'],
    ['oddFeed', 'events'],
    ['cutOff', 'logs x'],
    ['sshOption', 'ssh-config x'],
    ['sshHost', 'ssh-config x'],
    ['noGzip', 'jobs'],
  ])('%s to lab %s', async (answer, command) => {
    const { exitCode, output } = await ran(answer, ...command.split(' '));
    expect(output).toMatch(/^(abc)?lab: [ -~]+; is lab-api running there\? [^\n]+\n$/);
    expect(exitCode).toBe(69);
  });
});

test('lab labs names the hosts and lab CLIs that did not answer', async () => {
  expect((await ran('away', 'labs')).output).toMatch(
    /^lab: no answer from lab2, netlab: labs may be missing/m,
  );
});

test('an exit code that the system would make 0 of is not passed on', async () => {
  expect((await ran('failed', 'start', 'up', '--wait')).exitCode).toBe(1);
});

test('nothing that a terminal obeys is printed of events', async () => {
  const run = runProgram(['events'], { ...bare, LAB_API_URL: `${address}/feed` });
  await run.prints(/a[^\n]*b[^\n]*\n/);
  run.child.kill();
  await run.exit;
  expect(run.output().replaceAll('\n', '')).not.toMatch(harmful);
});

test('a token that no header can hold is refused, and not shown', async () => {
  const file = path.join(directory, 'token');
  writeFileSync(file, 'geheim\nzwei\n');
  const { exitCode, output } = await ran('null', 'jobs', '--token-file', file);
  expect(exitCode).toBe(2);
  expect(output).toBe('lab: the token must be one line of visible ASCII characters\n');
});

describe('output that nobody reads ends the command', () => {
  const run = (command: string, through: readonly string[] = []) =>
    runProgram(command.split(' '), { ...bare, LAB_API_URL: `${address}/long` }, undefined, through);

  test.each(['logs x', 'logs -f x'])(
    'lab %s, as SIGPIPE would, when its reader goes away',
    async (command) => {
      const { child, exit, output } = run(command);
      child.stdout?.once('data', () => child.stdout?.destroy());
      expect(await exit).toBe(141);
      expect(output()).toMatch(/^(line\n)+(line?|lin?|li?|l)?$/);
    },
  );

  test('lab logs with a sentence, when the disk is full', async () => {
    const { exit, output } = run('logs x', ['sh', '-c', 'exec "$@" >/dev/full', 'sh']);
    expect(await exit).toBe(1);
    expect(output()).toBe('lab: standard output: ENOSPC: no space left on device, write\n');
  });
});

const because = opensslMissing === undefined ? '' : ` (skipped: ${opensslMissing})`;
(opensslMissing === undefined ? describe : describe.skip)(
  `a server that is spoken to in the wrong way${because}`,
  () => {
    const pair = opensslMissing === undefined ? makePair(directory, 'lab') : undefined;
    const tls = https.createServer({ ...pair }, (_req, res) => json(res, null));
    // An alert, "unexpected message" (RFC 8446, section 6): what servers of OpenSSL answer to plain HTTP.
    const alert = net.createServer((socket) => {
      socket.on('error', () => undefined).end(Buffer.from([21, 3, 1, 0, 2, 2, 10]));
    });
    beforeAll(async () => {
      for (const one of [tls, alert]) await once(one.listen(0, '127.0.0.1'), 'listening');
    });
    afterAll(() => {
      tls.closeAllConnections();
      for (const one of [tls, alert]) one.close();
    });
    const at = (one: net.Server, scheme: string, host = '127.0.0.1'): string =>
      `${scheme}://${host}:${(one.address() as AddressInfo).port}`;

    async function told(url: string, ...args: readonly string[]) {
      const run = runProgram([...args, '--server', url], bare);
      return { exitCode: await run.exit, output: run.output().replaceAll(url, 'URL') };
    }

    test('https:// and plain HTTP; no command waits for that to pass', async () => {
      const output = 'lab: URL: it speaks plain HTTP: use http://\n';
      for (const command of [
        ['start', 'status'],
        ['logs', '-f', 'x'],
      ])
        expect(await told(at(server, 'https'), ...command)).toEqual({ exitCode: 69, output });
    });

    test('http:// and TLS', async () => {
      const output = expect.stringMatching(/^lab: URL: .+; perhaps its URL begins with https:\/\/\n$/);
      expect(await told(at(alert, 'http'), 'jobs')).toEqual({ exitCode: 69, output });
    });

    test('a certificate that nobody has signed', async () => {
      const output =
        'lab: URL: its certificate is not trusted (self-signed certificate); use --cacert FILE or --pin (--insecure for a test)\n';
      expect(await told(at(tls, 'https'), 'start', 'status')).toEqual({ exitCode: 69, output });
    });

    test('--cacert and a file that is none', async () => {
      const file = path.join(directory, 'README.md');
      writeFileSync(file, '# Read me\n');
      const output = `lab: --cacert: ${file} has no certificate (PEM)\n`;
      expect(await told(at(tls, 'https'), 'jobs', '--cacert', file)).toEqual({ exitCode: 2, output });
    });
  },
);
