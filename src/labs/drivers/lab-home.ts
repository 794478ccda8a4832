import path from 'node:path';
import { expandHome } from '../../lib/files/home.ts';
import type { Environment } from './lab-driver.ts';

/**
 * LAB_HOME, where the bundled engine keeps its labs, from the root: a relative one would be another directory for each
 * job, which runs in that of its lab.
 */
export function labHome(env: Environment): string | undefined {
  return env['LAB_HOME'] ? path.resolve(expandHome(env['LAB_HOME'])) : undefined;
}
