/**
 * Who may import whom in the page, web/dashboard/src: api <- parts <- a page <- frame and app. The linter and
 * tests/repo/page-layers.test.ts follow this table: an arrow is changed here. Paths are those below web/dashboard/src, with
 * slashes.
 */
import path from 'node:path/posix';

/**
 * A row is a folder with all that is in it, or a single file; `pages/*` is each folder of pages by itself.
 * @typedef {object} Row
 * @property {string} at
 * @property {readonly string[]} may Rows that it may import, besides itself.
 * @property {string} instead What the reader does when the linter refuses an import.
 */

/** @type {readonly Row[]} From the bottom to the top. */
export const rows = [
  {
    at: 'theme.ts',
    may: [],
    instead: 'theme.ts says how the page looks, and imports nothing of it.',
  },
  {
    at: 'api',
    may: [],
    instead:
      'api speaks with the service and draws nothing: it imports api only. What is drawn belongs into parts.',
  },
  {
    at: 'parts',
    may: ['api'],
    instead:
      'parts are what several pages draw: they import api and parts only. Take what a page knows as a property.',
  },
  {
    at: 'pages/*',
    may: ['api', 'parts', 'theme.ts'],
    instead:
      'A page imports its own folder, parts and api only: what two pages need belongs into parts, or into api when it draws nothing.',
  },
  {
    at: 'frame',
    may: ['api', 'parts'],
    instead:
      'The frame stands around any page: it imports api and parts only. app.tsx puts the pages into it.',
  },
  {
    at: 'app.tsx',
    may: ['api', 'parts', 'pages/*', 'frame', 'theme.ts'],
    instead: 'app.tsx joins the frame with the pages: nothing stands above it but main.tsx.',
  },
  {
    at: 'main.tsx',
    may: ['app.tsx'],
    instead: 'main.tsx only starts the page: put the rest into app.tsx.',
  },
];

/**
 * What the page may use of the service's own code: the client, which is made for browsers too, and what only computes, so that page
 * and service draw the same picture and find the same mistakes. The build refuses what needs Node.
 */
const shared = /^(?:\.\.\/){3}src\/(?:client|lib|labs\/picture|engine\/topology)\//;

/** The folder or the file that stands for a row: `pages/lab` for `pages/lab/picture/layout.ts`. @param {string} file */
function placeOf(file) {
  const [first = '', second = ''] = file.split('/');
  return first === 'pages' ? `pages/${second}` : first;
}

/** @param {string} file */
export function rowOf(file) {
  const place = placeOf(file);
  return rows.find(({ at }) => at === place || (at === 'pages/*' && place.startsWith('pages/')));
}

/**
 * What the reader should do instead of this import; undefined when it is allowed.
 * @param {string} file the one that imports
 * @param {string} specifier as it is written
 * @param {boolean} isType whether nothing but types is imported, of which nothing is left in the browser
 * @returns {string | undefined}
 */
export function objectionTo(file, specifier, isType = false) {
  if (specifier.startsWith('node:')) return 'Browsers have no modules of Node: use what the web has.';
  // Styles and pictures belong to the file beside them.
  if (!specifier.startsWith('.') || !/\.tsx?$/.test(specifier)) return undefined;
  const target = path.join(path.dirname(file), specifier);
  if (target.startsWith('../'))
    return isType || shared.test(target)
      ? undefined
      : 'Of what is outside web/dashboard/src, the page imports src/client, what only computes (src/lib, src/labs/picture, src/engine/topology), and types: ask the service for the rest.';
  const [row, other] = [rowOf(file), rowOf(target)];
  if (row === undefined)
    return `web/dashboard/src/${file} has no row in scripts/lint/page-layers.mjs: add one for its folder.`;
  if (placeOf(file) === placeOf(target) || (other !== undefined && row.may.includes(other.at)))
    return undefined;
  return row.instead;
}
