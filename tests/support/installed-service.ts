import { afterAll } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { freePort } from './free-port.ts';
import { Client } from './client.ts';
import { makeGround, type Ground } from './service.ts';
import { environmentFile, Supervisor } from './supervisor.ts';

interface InstalledService {
  readonly ground: Ground;
  /** What `install-service.sh --root` wrote below. */
  readonly root: string;
  readonly client: Client;
  readonly supervisor: Supervisor;
}

const started: Supervisor[] = [];

afterAll(async () => void (await Promise.all(started.map(async (supervisor) => supervisor.stop()))));

/**
 * Installs a service with this `install-service.sh` in a directory of its own and puts it under a supervisor; it is not
 * started yet. Its lab CLI is the fake one. `change` is what an administrator would edit in the unit.
 */
export async function superviseInstalled(
  script: string,
  change: (unit: string) => string = (unit) => unit,
): Promise<InstalledService> {
  const ground = makeGround();
  const root = path.join(ground.root, 'root');
  mkdirSync(root);
  execFileSync(script, ['--root', root], { stdio: 'pipe' });
  const settings = environmentFile(path.join(root, 'etc/lab-api/lab-api.env'));
  const port = await freePort();
  // The unit has systemd make the directory of the audit, below the root directory of the machine.
  const audit = { LAB_API_AUDIT_FILE: path.join(ground.root, 'audit.jsonl') };
  const env = { ...settings, ...audit, ...ground.env, LAB_API_PORT: String(port) };
  const basic = Buffer.from(`${settings['LAB_API_USER']}:${settings['LAB_API_PASSWORD']}`).toString('base64');
  const client = new Client(`http://127.0.0.1:${port}`, { headers: { Authorization: `Basic ${basic}` } });
  const unit = change(readFileSync(path.join(root, 'etc/systemd/system/lab-api.service'), 'utf8'));
  const supervisor = new Supervisor(unit, env, `FAKE_LAB_STATE=${ground.env['FAKE_LAB_STATE']}`);
  started.push(supervisor);
  return { ground, root, client, supervisor };
}
