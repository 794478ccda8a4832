/** Examples of the reports of a lab: only netlab makes them, so a program plays it. */
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startService } from '../lib/service.mjs';

const list = `
text:
  addressing: { name: addressing, desc: Node/interface addressing }
html:
  wiring: { name: wiring.html, desc: Lab wiring }
`;

/**
 * A service whose netlab lists the lab \`default\`.
 *
 * @param {string} ground
 * @param {NodeJS.ProcessEnv} env of a service with the bundled engine
 */
export async function startWithNetlab(ground, env) {
  const directory = path.join(ground, 'netlab');
  mkdirSync(directory);
  writeFileSync(path.join(directory, 'netlab.snapshot.pickle'), '');
  const status = JSON.stringify({ default: { dir: directory, name: 'triangle', status: 'started' } });
  const cli = path.join(directory, 'netlab');
  const script = `#!/bin/sh
case $1 in
  version) echo 'netlab version 26.10' ;;
  status) echo '${status}' ;;
  inspect) echo '{"nodes": {}}' ;;
  show) echo '${list}' ;;
  report) echo 'Cannot find "nothing.j2" in any of the report directories' >&2 ;;
esac
`;
  writeFileSync(cli, script, { mode: 0o755 });
  const own = { LAB_API_CLI: cli, LAB_API_ROOTS: directory, LAB_API_DATA_DIR: path.join(ground, 'reports') };
  return startService({ env: { ...env, ...own } });
}

/** @param {{ ask: (call: string, options?: { as?: string }) => Promise<unknown> }} recorder */
export async function recordReports(recorder) {
  await recorder.ask('GET /labs/default/reports', { as: 'listLabReports' });
  await recorder.ask('GET /labs/default/reports/nothing');
}
