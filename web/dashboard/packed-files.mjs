import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** Below, the headers of a reply weigh more than what is saved. */
const worthBytes = 1024;

/**
 * Packs each file of the page once, when it is built, so that the service need not: in the place of `a.js` there are
 * `a.js.br` and `a.js.gz`. For the few clients that take neither, the service unpacks one: kept plain as well, the page would be
 * twice as large.
 * @returns {import('vite').Plugin}
 */
export function packedFiles() {
  return {
    name: 'packed-files',
    apply: 'build',
    async writeBundle({ dir = '' }) {
      const assets = path.join(dir, 'assets');
      await Promise.all(
        readdirSync(assets).map(async (name) => {
          const file = path.join(assets, name);
          const bytes = readFileSync(file);
          if (bytes.length < worthBytes) return;
          const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } };
          writeFileSync(`${file}.br`, await brotli(bytes, quality));
          writeFileSync(`${file}.gz`, await zip(bytes, { level: constants.Z_BEST_COMPRESSION }));
          unlinkSync(file);
        }),
      );
    },
  };
}
