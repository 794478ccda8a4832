import { readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';

const zip = promisify(gzip);
/** A smaller file saves fewer bytes than the headers of its reply have. */
const worthBytes = 1024;

/**
 * Compresses each file of the page once, during the build, so that the service does not have to: `a.js` becomes `a.js.gz`. The
 * service decompresses it for the few clients that do not accept gzip. Brotli would be a seventh smaller, but browsers accept it
 * only over HTTPS, and both would double the size of the page.
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
          writeFileSync(`${file}.gz`, await zip(bytes, { level: constants.Z_BEST_COMPRESSION }));
          unlinkSync(file);
        }),
      );
    },
  };
}
