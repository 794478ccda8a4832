/** The `lab` command line, against the service of a test file. */
import { afterAll, beforeAll } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { runProgram, startService, topologyThat, type RunningService } from './service.ts';

/** The variables of a shell that knows nothing of any service. */
export const bareShell = { PATH: process.env['PATH'], HOME: '/nonexistent' };

/** What a test types, and where it looks at what came of it. The service, with `more` variables, is stopped after the test file. */
export function remoteLab(more: Readonly<Record<string, string>> = {}) {
  let service: RunningService | undefined;
  beforeAll(async () => {
    service = await startService({ env: more });
  });
  afterAll(async () => service?.stop({ cancelJobs: true }));
  const running = (): RunningService => {
    if (!service) throw new Error('the service is not there yet');
    return service;
  };
  const lab = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runProgram(args, { ...bareShell, LAB_API_URL: running().url, ...env });
  return {
    service: running,
    lab,
    ran: async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
      const run = lab(args, env);
      return { exitCode: await run.exit, output: run.output() };
    },
    topologyFile: (name: string, ...commands: readonly string[]): string => {
      const file = path.join(running().ground.root, name);
      writeFileSync(file, topologyThat(...commands));
      return file;
    },
  };
}
