import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './service.mjs';

/**
 * A module of src as `npm run build` has made it, by its path below src: `lib/size.js`. Its type is any, since
 * the type check runs without a build, too.
 * @param {string} file
 * @returns {Promise<any>}
 */
export async function built(file) {
  return import(pathToFileURL(path.join(root, 'dist/modules', file)).href);
}
