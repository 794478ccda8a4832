import { build } from 'vite';

/** Builds the page for people (web/dashboard) into this directory. @param {string} outDir @throws Error when that does not work. */
export async function buildPage(outDir) {
  // Jest calls itself `test`, and React would be the slow one for development, with the paths of this machine in it.
  process.env['NODE_ENV'] = 'production';
  await build({ configFile: 'web/dashboard/vite.config.mjs', build: { outDir } });
}
