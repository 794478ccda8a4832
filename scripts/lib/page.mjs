import { build } from 'vite';

/**
 * Builds the page for people (web/dashboard) into this directory.
 *
 * @param {string} outDir
 * @returns {Promise<string[]>} the files that are in it
 * @throws Error when that does not work
 */
export async function buildPage(outDir) {
  // Jest calls itself `test`, and React would be the slow one for development, with the paths of this machine in it.
  process.env['NODE_ENV'] = 'production';
  const built = await build({ configFile: 'web/dashboard/vite.config.mjs', build: { outDir } });
  const outputs = [built].flat().flatMap((each) => ('output' in each ? each.output : []));
  return outputs.flatMap((each) => (each.type === 'chunk' ? each.moduleIds : []));
}
