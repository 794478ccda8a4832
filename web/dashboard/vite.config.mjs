/** How the page is built (`npm run build`), and served during development (`npm run page`). */
import path from 'node:path';
import { defineConfig } from 'vite';
import { earlyScript, pageBuild } from './page-build.mjs';
import { packedFiles } from './packed-files.mjs';

/** The service for a page in development. */
const service = process.env['LAB'] ?? 'http://127.0.0.1:8090';

export default defineConfig({
  root: import.meta.dirname,
  // The base path of the service is not known at build time.
  base: './',
  // The compiler of React is not needed: Vite transforms JSX.
  oxc: { jsx: { runtime: 'automatic' } },
  plugins: [
    earlyScript(path.join(import.meta.dirname, 'src/early.js')),
    pageBuild(),
    packedFiles(),
    {
      name: 'nothing-of-node',
      enforce: 'pre',
      resolveId(name, importer) {
        if (name.startsWith('node:'))
          this.error(`${importer} imports ${name}: browsers have no modules of Node`);
      },
    },
    {
      name: 'no-base-path',
      apply: 'serve',
      transformIndexHtml: (html) => html.replace('{{base}}/ui/', '/'),
    },
  ],
  build: {
    emptyOutDir: true,
    // tests/repo/page-weight.test.ts checks the size of the first load.
    chunkSizeWarningLimit: 2000,
    license: { fileName: 'LICENSES.md' },
    rolldownOptions: {
      // 'use client' is only for servers that render pages.
      onwarn: (warning, warn) => (warning.code === 'MODULE_LEVEL_DIRECTIVE' ? undefined : warn(warning)),
    },
    // Images as files: a policy that allows inline images would allow more.
    assetsInlineLimit: 0,
  },
  server: {
    proxy: Object.fromEntries(
      [
        '/session',
        '/labs',
        '/jobs',
        '/workspaces',
        '/templates',
        '/events',
        '/readyz',
        '/docs',
        '/openapi.json',
      ].map((route) => [
        route,
        {
          target: service,
          ws: true,
          bypass: ({ headers }) => (headers.accept?.includes('text/html') ? '/' : undefined),
        },
      ]),
    ),
  },
  logLevel: 'warn',
});
