/**
 * The configuration of dependency-cruiser: rules made of the tables in scripts/lib/layers.mjs. It reads the code with the
 * programming interface of TypeScript 6, because TypeScript 7 has none: `typescript` is that one, `@typescript/native` has tsc.
 */
import { instead, insteadOnPage, packages, pageRooms, rooms } from './scripts/lib/layers.mjs';

const page = 'web/dashboard/src';
/** Code of the service that runs in a browser too, so that page and service draw the same picture. The build refuses the rest. */
const sharedWithPage = '^src/(client|lib|labs/picture|engine/topology)/';

const words = (/** @type {string} */ list) => list.split(' ').filter((word) => word !== '');

/**
 * The files of a room as a regular expression.
 * @param {string} base `src` or that of the page
 * @param {typeof rooms} table
 * @param {string} room also `labs/**`, labs and all rooms in it
 */
function filesOf(base, table, room) {
  if (/\.tsx?$/.test(room)) return `^${base}/${room.replaceAll('.', '\\.')}$`;
  if (room.endsWith('/**')) return `^${base}/${room.slice(0, -2)}`;
  if (room.endsWith('/*')) return `^${base}/${room.slice(0, -1)}([^/]+)/`;
  const inside = Object.keys(table).filter((other) => other.startsWith(`${room}/`));
  const others = inside.map((other) => other.slice(room.length + 1) + (other.endsWith('.ts') ? '$' : '/'));
  return `^${base}/${room}/(?!${others.join('|') || '$'})`;
}

/** @param {string} name @param {string} comment @param {object} from @param {object} to */
const refuse = (name, comment, from, to) =>
  /** @type {const} */ ({ name, comment, severity: 'error', from, to });

/** One rule for each room of a table, and one for files without a room. @param {string} base @param {typeof rooms} table @param {typeof instead} advice */
function rulesOf(base, table, advice) {
  const sayings = Object.entries(advice);
  const rules = Object.entries(table).map(([room, may]) => {
    const own = filesOf(base, table, room);
    const allowed = words(may).map((entry) => filesOf(base, table, entry));
    const comment = sayings.find(([beginning]) => room.startsWith(beginning))?.[1] ?? '';
    const pathNot = [own.replace('([^/]+)', '$1'), ...allowed];
    return refuse(`${base}/${room}`, comment, { path: own }, { path: `^${base}/.*\\.tsx?$`, pathNot });
  });
  const known = Object.keys(table).map((room) => filesOf(base, table, room));
  const missing = 'This file has no room in scripts/lib/layers.mjs: add a row for its folder.';
  return [...rules, refuse(`${base}: no room`, missing, { path: `^${base}/.*\\.tsx?$`, pathNot: known }, {})];
}

const srcFiles = (/** @type {string} */ list) => words(list).map((entry) => filesOf('src', rooms, entry));

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...rulesOf('src', rooms, instead),
    ...rulesOf(page, pageRooms, insteadOnPage),
    ...packages.map(({ name, only, instead: comment }) =>
      refuse(
        `package ${name}`,
        comment,
        { path: '^src/', pathNot: srcFiles(only) },
        { path: `(^|node_modules/)${name}(/|$)` },
      ),
    ),
    refuse(
      'package in lib',
      instead['lib'] ?? '',
      { path: filesOf('src', rooms, 'lib') },
      { path: 'node_modules/' },
    ),
    refuse(
      'outside src',
      'Product code never imports tests, or anything else outside src: move the part that both need into src/lib.',
      { path: '^src/' },
      { pathNot: '^src/', dependencyTypes: ['local'] },
    ),
    refuse(
      'outside the page',
      'Of the code outside web/dashboard/src, the page imports src/client, the code that only computes (src/lib, src/labs/picture, src/engine/topology), and types: ask the service for the rest.',
      { path: `^${page}/` },
      {
        pathNot: [`^${page}/`, sharedWithPage],
        dependencyTypes: ['local'],
        dependencyTypesNot: ['type-only'],
      },
    ),
    refuse(
      'Node on the page',
      'Browsers have no modules of Node: use the functions of the web.',
      { path: `^${page}/` },
      { dependencyTypes: ['core'] },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Imports of types are arrows too.
    tsPreCompilationDeps: true,
  },
};
