import path from 'node:path';
import { plainEnvironment, spawnService } from './service.mjs';

/**
 * @typedef {object} RestartableService
 * @property {() => string} url where it listens, once it was started
 * @property {() => Promise<void>} start resolves when it answers, with the data of its last life
 * @property {() => Promise<void>} kill SIGKILL to the service alone: what it has started goes on
 */

/**
 * A service without a password that can be killed and started again.
 * @param {string} directory where it keeps its data
 * @param {NodeJS.ProcessEnv} settings
 * @returns {RestartableService}
 */
export function restartableService(directory, settings) {
  const env = { ...plainEnvironment(), LAB_API_DATA_DIR: path.join(directory, 'lab-api'), ...settings };
  /** @type {import('./service.mjs').ServiceProcess | undefined} */
  let service;
  let url = '';
  return {
    url: () => url,
    start: async () => {
      service = spawnService({ env, isDetached: true });
      url = await service.listening;
    },
    kill: async () => service?.end('SIGKILL'),
  };
}
