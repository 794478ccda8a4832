/** The audit of the built service: rotated, on a disk that gets full, at a kill, and of clients that send what terminals obey. */
import { describe, expect, test } from '@jest/globals';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { sendRaw } from '../support/http-client.ts';
import { makeNodeGround } from '../support/node-ground.ts';
import { PrivateDisk, privateDiskMissing } from '../support/private-disk.ts';
import type { Client } from '../support/client.ts';
import { makeGround, runProgram, startProgram, topologyThat, type Ground } from '../support/service.ts';
import { TerminalClient } from '../support/terminal-client.ts';

type Line = Readonly<Record<string, unknown>>;

const linesIn = (file: string): Line[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);

const idsIn = (file: string): unknown[] => linesIn(file).map(({ requestId }) => requestId);

const auditOf = ({ root }: Ground): string => path.join(root, 'audit.jsonl');

/** A request with a line of its own. */
const remove = async (client: Client, id: string) =>
  client.request('/jobs/none', { method: 'DELETE', headers: { 'X-Request-Id': id } });

describe('a file of the audit', () => {
  test('is made anew on SIGHUP, as logrotate wants it', async () => {
    const ground = makeGround();
    const file = auditOf(ground);
    const service = await startProgram({ ground, env: { LAB_API_AUDIT_FILE: file } });
    await remove(service, 'before');
    await eventually('the line', () => idsIn(file).includes('before'));
    renameSync(file, `${file}.1`);
    service.run.child.kill('SIGHUP');
    await service.run.prints(/the audit file was opened anew/);
    await remove(service, 'after');
    await service.end();
    expect(idsIn(`${file}.1`)).toEqual(['before']);
    expect(idsIn(file)).toEqual(['after']);
  });

  test('tells of a terminal although the service was killed', async () => {
    const { ground, env } = makeNodeGround();
    const file = auditOf(ground);
    const service = await startProgram({ ground, env: { ...env, LAB_API_AUDIT_FILE: file } });
    await new TerminalClient(service.url, '/labs/default/nodes/vm/terminal').opened();
    await eventually('the line', () => linesIn(file).length === 1);
    await service.end('SIGKILL');
    expect(linesIn(file)).toMatchObject([{ event: 'opened', operation: 'openNodeTerminal', node: 'vm' }]);
  });
});

(privateDiskMissing === undefined ? describe : describe.skip)(
  `a disk that gets full${privateDiskMissing === undefined ? '' : ` (${privateDiskMissing})`}`,
  () => {
    test('costs the file lines, which are in the log; requests go on, and the file says how many are missing', async () => {
      const disk = await PrivateDisk.make();
      const { ground } = disk;
      const service = await startProgram({
        ground,
        through: disk.through,
        env: { LAB_API_MIN_FREE_DISK: '0', LAB_API_AUDIT_FILE: path.join(ground.dataDir, 'audit.jsonl') },
      });
      const file = disk.outside('audit.jsonl');
      const isFull = async () => {
        const { checks } = (await service.get('/readyz')).json as { checks: Line[] };
        return checks.find(({ name }) => name === 'audit-file');
      };
      await remove(service, 'first');
      await eventually('the line', () => idsIn(file).includes('first'));
      expect(await isFull()).toMatchObject({ ok: true });
      disk.fill();
      // The last page of the file has some room.
      const inVain: string[] = [];
      await eventually('the file to be full', async () => {
        inVain.push(`full-${inVain.length}`);
        expect((await remove(service, inVain.at(-1) ?? '')).status).toBe(404);
        return (await isFull())?.['ok'] === false;
      });
      expect(await isFull()).toMatchObject({ detail: expect.stringContaining('ENOSPC') });
      const [, lost = ''] = await service.run.prints(/audit event=request requestId=(full-\d+)/);
      expect(service.run.output()).toMatch(/error the audit file takes no lines/);
      disk.makeRoom();
      await remove(service, 'again');
      await service.run.prints(/the audit file takes lines again/);
      expect(await isFull()).toMatchObject({ ok: true });
      const metrics = (await service.get('/metrics')).text;
      expect(metrics).toMatch(/^lab_api_audit_lines_diverted_total [1-9]/m);
      await service.end();
      const text = readFileSync(file, 'utf8').split('\n');
      const whole = text.flatMap((line) => {
        try {
          return [JSON.parse(line) as Line];
        } catch {
          return [];
        }
      });
      expect(whole.at(-1)).toMatchObject({ requestId: 'again' });
      expect(whole.at(-2)).toMatchObject({ event: 'gap', count: expect.any(Number) });
      expect(whole.map(({ requestId }) => requestId)).not.toContain(lost);
      // Half a line at most, and the empty one behind the last.
      expect(text.length - whole.length).toBeLessThanOrEqual(2);
    });
  },
);

describe('what a client sends', () => {
  test.each(['text', 'json'])(
    'neither ends a line of the log nor acts on a terminal (%s)',
    async (format) => {
      const ground = makeGround();
      const env = {
        LAB_API_LOG_FORMAT: format,
        LAB_API_LOG_LEVEL: 'debug',
        LAB_API_USER: 'ops\u009b1m\u202e',
        LAB_API_PASSWORD: 'x',
      };
      const login = Buffer.from(`${env.LAB_API_USER}:x`).toString('base64');
      const run = runProgram(['api'], { ...ground.env, ...env });
      try {
        const [, url = ''] = await run.prints(/lab-api is listening.*?(http:[^\s"]+)/);
        // As bytes: 8-bit control characters, and what UTF-8 makes of them.
        const nasty = Buffer.from('\u009b31m\u202egpj\u2028x', 'utf8').toString('latin1');
        for (const target of [
          `/jobs/${nasty}%0aforged%1b[31m`,
          `/workspaces/w/files/${nasty}`,
          '/jobs/marked',
        ])
          await sendRaw(
            url,
            Buffer.from(
              `DELETE ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${login}\r\nUser-Agent: ${nasty}\r\nConnection: close\r\n\r\n`,
              'latin1',
            ),
          );
        const topology = topologyThat(':');
        const body = JSON.stringify({
          action: 'up\n2026 forged',
          workdir: `${ground.workdir}/\u001b]0;x\u0007\u009b`,
          topology,
        });
        await sendRaw(
          url,
          `POST /jobs HTTP/1.1\r\nHost: x\r\nAuthorization: Basic ${login}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
        );
        await run.prints(/audit[^]*submitJob|submitJob[^]*audit/);
      } finally {
        run.child.kill();
      }
      await run.exit;
      const output = run.output();
      // eslint-disable-next-line no-control-regex
      expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u2028\u2029\u202e]/);
      expect(output).toContain('forged');
      const start = format === 'json' ? /^\{.*\}$/ : /^\d{4}-\d\d-\d\dT[\d:.]+Z (debug|info |warn |error) /;
      for (const line of output.trim().split('\n')) expect(line).toMatch(start);
      expect(existsSync(auditOf(ground))).toBe(false);
    },
  );
});
