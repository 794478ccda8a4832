import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const hashOf = (/** @type {string} */ text) => createHash('sha256').update(text).digest('hex').slice(0, 12);

/**
 * Writes the build ID into the page (`<meta name="lab-api-build">`) and into `build.json`. A page that was opened before an update
 * compares the two and notices the update.
 * @returns {import('vite').Plugin}
 */
export function pageBuild() {
  let build = '';
  return {
    name: 'page-build',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(html, { bundle = {} }) {
        // The name of each file contains a hash of its content.
        build = hashOf([html, ...Object.keys(bundle).toSorted()].join('\n'));
        return [{ tag: 'meta', attrs: { name: 'lab-api-build', content: build }, injectTo: 'head' }];
      },
    },
    generateBundle: {
      order: 'post',
      handler() {
        this.emitFile({ type: 'asset', fileName: 'build.json', source: `${JSON.stringify({ build })}\n` });
      },
    },
  };
}

/**
 * Emits a script that browsers run before they draw anything as a file of its own, because the content security policy forbids inline
 * scripts.
 * @param {string} file
 * @returns {import('vite').Plugin}
 */
export function earlyScript(file) {
  const source = readFileSync(file, 'utf8');
  const { name } = path.parse(file);
  const fileName = `assets/${name}-${hashOf(source)}.js`;
  return {
    name: 'early-script',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: (_html, { bundle }) => [
      bundle
        ? { tag: 'script', attrs: { src: `./${fileName}` }, injectTo: 'head' }
        : { tag: 'script', children: source, injectTo: 'head' },
    ],
  };
}
