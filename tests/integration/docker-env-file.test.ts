/** What Docker's own command line makes of a file of variables. It tells a server of ours: no container is made. */
import { expect, test } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { json } from 'node:stream/consumers';
import { readings } from '../support/readings.ts';
import { requirement } from '../support/requirements.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const docker = requirement('docker');
const root = temporaryDirectory();

/** The variables that `docker create --env-file` asks its engine for; undefined when it asks for nothing. */
async function asked(text: string): Promise<Record<string, string> | undefined> {
  let variables: readonly string[] | undefined;
  const engine = http.createServer((req, res) => {
    res.writeHead(req.url?.endsWith('/_ping') ? 200 : 500, { 'Api-Version': '1.41' });
    if (!req.url?.includes('/containers/create')) return void res.end();
    void json(req).then((wanted) => {
      variables = (wanted as { Env: string[] | null }).Env ?? [];
      res.end();
    });
  });
  await once(engine.listen(0, '127.0.0.1'), 'listening');
  const file = path.join(root, 'settings.env');
  writeFileSync(file, text);
  const { port } = engine.address() as AddressInfo;
  const env = { PATH: process.env['PATH'], HOME: root, DOCKER_HOST: `tcp://127.0.0.1:${port}` };
  const child = spawn(docker.file, ['create', '--env-file', file, 'image'], { env, stdio: 'ignore' });
  await once(child, 'close');
  engine.closeAllConnections();
  engine.close();
  // A name alone passes on a variable of the shell, which has none of that name here.
  return variables && Object.fromEntries(variables.map((variable) => variable.split(/=([^]*)/, 2)));
}

// One file with many lines would be quicker, but the first line that is refused would end it.
(docker.missing === undefined ? test : test.skip)(
  `Docker reads what was recorded (${docker.missing ?? 'with docker'})`,
  async () => {
    for (const { text, docker: recorded } of readings) {
      const read = (await asked(text)) ?? 'refused';
      expect({ text, read }).toEqual({ text, read: recorded });
    }
  },
  60_000,
);
