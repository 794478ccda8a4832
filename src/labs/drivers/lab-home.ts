import path from 'node:path';
import { expandHome } from '../../lib/files/home.ts';
import type { Environment } from './lab-driver.ts';

/**
 * LAB_HOME, the directory in which the bundled engine keeps its labs, as an absolute path: each job runs in the directory of its
 * lab, so a relative path would name another directory for each.
 */
export function labHome(env: Environment): string | undefined {
  return env['LAB_HOME'] ? path.resolve(expandHome(env['LAB_HOME'])) : undefined;
}
