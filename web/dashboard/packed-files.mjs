import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);
/** A smaller file saves fewer bytes than the headers of its reply have. */
const worthBytes = 1024;

/**
 * Compresses each file of the page once, during the build, so that the service does not have to: `a.js` becomes `a.js.br` and
 * `a.js.gz`. The service decompresses a file for the few clients that accept neither format; to keep the plain files as well would
 * double the size of the page.
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
