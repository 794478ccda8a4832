/** The program as few files: what src imports, with the packages that it needs, so that a start reads ten files and not 700. */
import { build, transformSync } from 'esbuild';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { brotliCompressSync } from 'node:zlib';

/** The programs, the client library, and the threads for pictures, topologies, long files and bcrypt. Shared and late code goes into `chunks`. */
const entries = [
  'src/main.ts',
  'src/engine/main.ts',
  'src/scenarios/run/main.ts',
  'src/client/public.ts',
  'src/labs/nodes/dialer-program.ts',
  'src/labs/picture/layout-worker.ts',
  'src/labs/templates/template-worker.ts',
  'src/labs/drivers/foreign-worker.ts',
  'src/access/passwords/bcrypt-worker.ts',
];

/** A source map of a whole file with a single place. src/lib/text/source-positions.ts knows that it is not to be shown. */
const unmapped = JSON.stringify({ version: 3, sources: ['a-package'], names: [], mappings: 'AAAA' });
const unmappedComment = `\n//# sourceMappingURL=data:application/json,${encodeURIComponent(unmapped)}\n`;

/**
 * Maps are for our own lines: with those of packages, the map of the service would be five times as large, and a stack trace
 * would have to read it.
 *
 * @type {import('esbuild').Plugin}
 */
const mapsOfOurs = {
  name: 'maps-of-ours',
  setup: (bundler) =>
    bundler.onLoad({ filter: /[/\\]node_modules[/\\].*\.[cm]?js$/ }, ({ path: file }) => ({
      contents: `${readFileSync(file, 'utf8')}${unmappedComment}`,
      loader: 'js',
    })),
};

/**
 * `await import('yaml')` has the names that Node would find in the package: esbuild knows only `default` of a package that was
 * written for `require`.
 *
 * @type {import('esbuild').Plugin}
 */
const namesOfLateImports = {
  name: 'names-of-late-imports',
  setup(bundler) {
    const { external = [] } = bundler.initialOptions;
    bundler.onResolve({ filter: /^[^.]/ }, ({ kind, path: name, resolveDir }) =>
      kind === 'dynamic-import' && !isBuiltin(name) && !external.includes(name)
        ? { path: name, namespace: 'late-import', pluginData: resolveDir }
        : undefined,
    );
    bundler.onLoad(
      { filter: /^/, namespace: 'late-import' },
      async ({ path: name, pluginData: resolveDir }) => {
        const names = Object.keys(await import(name)).filter((word) => /^\w+$/.test(word));
        return { contents: `export { ${names.join(', ')} } from '${name}';`, resolveDir };
      },
    );
  },
};

/**
 * body-parser reads JSON in UTF-8, UTF-16 and UTF-32 alone. The tables that iconv-lite has for other encodings are half a megabyte.
 *
 * @type {import('esbuild').Plugin}
 */
const noTablesOfEncodings = {
  name: 'no-tables-of-encodings',
  setup: (bundler) =>
    bundler.onLoad(
      { filter: /[/\\]iconv-lite[/\\]encodings[/\\](?:tables[/\\]|sbcs-data-generated\.js$)/ },
      () => ({
        contents: '[]',
        loader: 'json',
      }),
    ),
};

/**
 * Express looks up the type of a file in a table of 2,500. The files that it sends are those of the page and of the reference.
 *
 * @type {import('esbuild').Plugin}
 */
const typesOfOurFiles = {
  name: 'types-of-our-files',
  setup: (bundler) =>
    bundler.onLoad({ filter: /[/\\]mime-db[/\\]db\.json$/ }, ({ path: file }) => ({
      contents: JSON.stringify(
        Object.fromEntries(
          Object.entries(JSON.parse(readFileSync(file, 'utf8'))).filter(
            ([type, { extensions }]) =>
              extensions !== undefined &&
              /^(?:application\/(?:json|manifest\+json|wasm)$|(?:font|image|text)\/(?!vnd\.|x-))/.test(type),
          ),
        ),
      ),
      loader: 'json',
    })),
};

/**
 * Modules that the service does not use, and what they export instead.
 *
 * @type {readonly (readonly [RegExp, string])[]}
 */
const replaced = [
  // Express needs qs for nested queries and for forms. The service takes neither.
  [/[/\\]qs[/\\]lib[/\\]index\.js$/, '{}'],
  // The service logs to standard error alone: it needs no other transports of winston, and no messages of winston about itself.
  [/[/\\]winston[/\\]lib[/\\]winston[/\\]transports[/\\](?:file|http|stream)\.js$/, 'class {}'],
  [/[/\\]@dabh[/\\]diagnostics[/\\]node[/\\]index\.js$/, '() => () => undefined'],
  // Node has the streams that winston brings.
  [/[/\\]readable-stream[/\\]readable\.js$/, "require('node:stream')"],
  [/[/\\]readable-stream[/\\]lib[/\\]_stream_writable\.js$/, "require('node:stream').Writable"],
  // The servers that undici plays in tests of other programs.
  [/[/\\]undici[/\\]lib[/\\]mock[/\\]/, '{}'],
  // Of ssh2, the service is a server alone, whose nodes bring their own SFTP.
  [/[/\\]ssh2[/\\]lib[/\\](?:agent|client|http-agents|protocol[/\\]SFTP)\.js$/, '{}'],
];

/** @type {import('esbuild').Plugin} */
const replacedModules = {
  name: 'replaced-modules',
  setup(bundler) {
    for (const [filter, exported] of replaced)
      bundler.onLoad({ filter }, () => ({ contents: `module.exports = ${exported};` }));
  },
};

/**
 * undici, the largest package, has short names inside its functions: no message has one of them.
 *
 * @type {import('esbuild').Plugin}
 */
const shortNamesOfUndici = {
  name: 'short-names-of-undici',
  setup: (bundler) =>
    bundler.onLoad({ filter: /[/\\]undici[/\\]lib[/\\].*\.js$/ }, ({ path: file }) => ({
      contents: `${transformSync(readFileSync(file, 'utf8'), { minifyIdentifiers: true }).code}${unmappedComment}`,
    })),
};

/**
 * elkjs is as large as the rest of the program, and only the thread for pictures needs it: it unpacks it when it starts.
 *
 * @type {import('esbuild').Plugin}
 */
const compressedElk = {
  name: 'compressed-elk',
  setup: (bundler) =>
    bundler.onLoad({ filter: /[/\\]elkjs[/\\]lib[/\\]elk\.bundled\.js$/ }, ({ path: file }) => ({
      contents: `
const packed = Buffer.from('${brotliCompressSync(readFileSync(file)).toString('base64')}', 'base64');
const source = require('node:zlib').brotliDecompressSync(packed).toString();
require('node:vm').compileFunction(source, ['module', 'exports'])(module, exports);
`,
    })),
};

/**
 * A server of the Model Context Protocol checks with ajv what a user answers to its questions. Ours asks none.
 *
 * @type {import('esbuild').Plugin}
 */
const noChecksOfAnswers = {
  name: 'no-checks-of-answers',
  setup: (bundler) =>
    bundler.onLoad(
      { filter: /[/\\]@modelcontextprotocol[/\\]sdk[/\\]dist[/\\]esm[/\\]validation[/\\]ajv-provider\.js$/ },
      () => ({ contents: 'export class AjvJsonSchemaValidator {}' }),
    ),
};

/** Of ssh2, which tries them and works without. */
const nativeParts = ['cpu-features', '*.node'];

/** Packages written for `require` call it for modules of Node, and ask for their directory. */
const withRequire =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url); const __dirname = import.meta.dirname;";

/** The directories of the packages that these files are in, in order. @param {readonly string[]} files */
export function packagesOf(files) {
  const directories = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(directories.filter((directory) => directory !== undefined))].toSorted();
}

/**
 * The program contains these packages, and their licences require their text with it. Packages with the same text share it.
 * @param {readonly string[]} directories
 */
function licencesOf(directories) {
  /** @type {Map<string, string[]>} */
  const packages = new Map();
  for (const { name, text } of directories.map(licenceOf))
    packages.set(text, [...(packages.get(text) ?? []), name]);
  return [...packages].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
}

/** @param {string} directory */
function licenceOf(directory) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(directory, 'package.json'), 'utf8'));
  const file = readdirSync(directory).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file === undefined ? `Licence: ${license}` : readFileSync(path.join(directory, file), 'utf8');
  return { name: `${name} ${version}`, text: text.trim() };
}

/**
 * Bundles the sources of the directory that we are in. A package that stands in `dependencies` or `optionalDependencies` of package.json stays
 * outside, and is installed; any other one is bundled.
 *
 * @param {string} outdir
 * @returns {Promise<string[] | undefined>} the directories of the packages that are in it; undefined after an error, which esbuild
 *   has printed
 */
export async function bundle(outdir) {
  /** @type {{ dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }} */
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8'));
  const result = await build({
    entryPoints: entries,
    outdir,
    outbase: 'src',
    chunkNames: 'chunks/[name]-[hash]',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: [...Object.keys({ ...dependencies, ...optionalDependencies }), ...nativeParts],
    // Names stay, for stack traces and for messages with the name of a class.
    minifyWhitespace: true,
    minifySyntax: true,
    sourcemap: true,
    sourcesContent: false,
    banner: { js: withRequire },
    plugins: [
      noTablesOfEncodings,
      typesOfOurFiles,
      replacedModules,
      shortNamesOfUndici,
      compressedElk,
      noChecksOfAnswers,
      mapsOfOurs,
      namesOfLateImports,
    ],
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
  }).catch(() => undefined);
  if (result === undefined) return undefined;
  const packages = packagesOf(Object.keys(result.metafile.inputs));
  const intro = 'lab-api contains the following packages, under their licences.\n';
  writeFileSync(
    path.join(outdir, 'LICENSES.txt'),
    [intro, ...licencesOf(packages)].join(`\n${'-'.repeat(72)}\n\n`),
  );
  return packages;
}
