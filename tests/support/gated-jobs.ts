/** Jobs that wait in the middle, while a test does something to the machine of the service. */
import { expect } from '@jest/globals';
import type { RequestOptions } from './http-client.ts';
import type { Client } from './client.ts';
import { topologyThat, type Ground } from './service.ts';

/** Starts a job in a directory of its own; resolves when it has come to `wait_for name`. */
export async function startGated(
  client: Client,
  ground: Ground,
  name: string,
  ...then: readonly string[]
): Promise<string> {
  const topology = topologyThat('echo ready', `wait_for ${name}`, ...then);
  const id = await client.start({ action: 'create', workdir: ground.makeWorkdir(name), topology });
  await ground.waitsFor(name);
  return id;
}

/** The sentences of the checks of `/readyz` that fail, by name; it is 200 exactly when there are none. */
export async function failedChecks(
  client: Client,
  options: RequestOptions = {},
): Promise<Record<string, string>> {
  const { status, json } = await client.request('/readyz', options);
  const failing = (json.checks as { name: string; ok: boolean; detail: string }[]).filter(({ ok }) => !ok);
  expect(status).toBe(failing.length === 0 ? 200 : 503);
  return Object.fromEntries(failing.map(({ name, detail }) => [name, detail]));
}
