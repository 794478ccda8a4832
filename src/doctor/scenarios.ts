import { ok, warning, type Finding, type Subject } from './finding.ts';
import { ask } from './program.ts';

/** Whether scenarios can send their probes; nothing else needs that. */
export async function checkScenarios(subject: Subject): Promise<Finding> {
  const { stdout, spawnError } = await ask('fping', ['-v'], subject);
  if (spawnError !== null)
    return warning('not on PATH: fping, which sends the probes of scenarios', 'install fping');
  return ok(stdout.toString('utf8').split('\n')[0] ?? '');
}
