/** The configuration in packaging/prometheus, with which a real Prometheus reads the metrics of the built service. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { request } from '../support/http-client.ts';
import { repoRoot } from '../support/repo-files.ts';
import { requirement } from '../support/requirements.ts';
import { startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const packaging = path.join(repoRoot, 'packaging', 'prometheus');
const prometheus = requirement('prometheus');
const promtool = requirement('promtool');
const missing = prometheus.missing ?? promtool.missing;
const because = missing === undefined ? '' : ` (skipped: ${missing})`;
const directory = temporaryDirectory();

/** The example with the addresses and files of the test; every one of these has to be in it. */
function configuration(target: string): string {
  const password = path.join(directory, 'password');
  writeFileSync(password, 'secret');
  const rules = path.join(directory, 'lab-api.rules.yml');
  copyFileSync(path.join(packaging, 'lab-api.rules.yml'), rules);
  const changes = [
    ['scrape_interval: 15s', 'scrape_interval: 1s'],
    ['evaluation_interval: 15s', 'evaluation_interval: 1s'],
    ['/etc/prometheus/lab-api.password', password],
    ['127.0.0.1:8090', target],
  ] as const;
  const file = path.join(directory, 'prometheus.yml');
  const text = changes.reduce(
    (changed, [from, to]) => {
      if (!changed.includes(from)) throw new Error(`the example does not have "${from}"`);
      return changed.replace(from, to);
    },
    readFileSync(path.join(packaging, 'prometheus.yml'), 'utf8'),
  );
  writeFileSync(file, text);
  return file;
}

(missing === undefined ? describe : describe.skip)(`Prometheus${because}`, () => {
  let service: RunningProgram;
  let scraper: ChildProcess;
  let url: string;

  /** The value of an expression that has one; undefined while it has none. */
  async function value(expression: string): Promise<number | undefined> {
    const reply = await request(url, `/api/v1/query?query=${encodeURIComponent(expression)}`);
    const { data } = reply.json as { data: { result: { value: [number, string] }[] } };
    const [found] = data.result;
    return found && Number(found.value[1]);
  }

  beforeAll(async () => {
    service = await startProgram({
      env: { LAB_API_USER: 'lab', LAB_API_PASSWORD: 'secret' },
      client: { headers: { Authorization: `Basic ${Buffer.from('lab:secret').toString('base64')}` } },
    });
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    scraper = spawn(
      prometheus.file,
      [
        `--config.file=${configuration(new URL(service.url).host)}`,
        `--storage.tsdb.path=${path.join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--log.level=error',
      ],
      { cwd: directory, stdio: 'ignore' },
    );
    await eventually('Prometheus', async () => (await request(url, '/-/ready')).status === 200);
  });

  afterAll(async () => {
    const ended = once(scraper, 'close');
    scraper.kill();
    await ended;
  });

  test('promtool has nothing against the metrics', async () => {
    const { text } = await service.get('/metrics');
    const { status, stdout, stderr } = spawnSync(promtool.file, ['check', 'metrics'], {
      input: text,
      encoding: 'utf8',
    });
    expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' });
  });

  test('reaches the service, and sees a counter move', async () => {
    await eventually('up', async () => (await value('up{job="lab-api"}')) === 1);
    const counter = 'lab_api_jobs_finished_total{action="up", state="success", reason="exited"}';
    await eventually('the counter', async () => (await value(counter)) === 0);
    const up = { action: 'up', workdir: service.ground.workdir, topology: topologyThat() };
    await service.ended(await service.start(up));
    await eventually('one more', async () => (await value(counter)) === 1);
    await eventually('the lab', async () => (await value('lab_api_labs{state="started"}')) === 1);
  });

  test('understands every alert, and none of them fires', async () => {
    const rules = await eventually('a look at the rules', async () => {
      const reply = await request(url, '/api/v1/rules');
      const { data } = reply.json as {
        data: { groups: { rules: { name: string; health: string; state: string }[] }[] };
      };
      const all = data.groups.flatMap((group) => group.rules);
      return all.length > 0 && all.every(({ health }) => health !== 'unknown') ? all : undefined;
    });
    expect(rules.filter(({ health, state }) => health !== 'ok' || state === 'firing')).toEqual([]);
  });

  test('sees that the service is gone', async () => {
    await service.end();
    await eventually('down', async () => (await value('up{job="lab-api"}')) === 0);
  });
});
