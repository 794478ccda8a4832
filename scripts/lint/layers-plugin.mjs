/**
 * The rule `house/layers` of the linter: imports follow the table in layers.mjs, and those of the page the one in page-layers.mjs. oxlint calls such plugins a preview; should
 * one of its versions not run this, tests/repo/layers.test.ts says so, and tests/repo/import-graph.test.ts holds the table
 * all the same.
 */
import path from 'node:path';
import { objectionTo } from './imports.mjs';
import { objectionTo as objectionToOfPage } from './page-layers.mjs';

/** @typedef {{ readonly type: string, readonly value?: unknown, readonly expression?: Node, readonly importKind?: string, readonly exportKind?: string }} Node */
/** @typedef {{ readonly importKind?: string, readonly exportKind?: string, readonly source?: Node | null, readonly specifiers?: readonly Node[] }} Declaration */
/** @typedef {{ cwd: string, filename: string, report(found: { node: Node, message: string }): void }} Context */

/** Whether nothing but types is named: `import type …`, or each name with `type` before it. */
const namesTypes = (/** @type {Declaration} */ { importKind, exportKind, specifiers = [] }) =>
  [importKind, exportKind].includes('type') ||
  (specifiers.length > 0 && specifiers.every((each) => [each.importKind, each.exportKind].includes('type')));

/** How imports of this file are judged; undefined for one that no table is about. @param {Context} context */
function judgeOf({ cwd, filename }) {
  const below = (/** @type {string} */ folder) =>
    path.relative(path.join(cwd, folder), filename).replaceAll('\\', '/');
  const [file, ofPage] = [below('src'), below('web/dashboard/src')];
  if (!file.startsWith('../')) return (/** @type {string} */ specifier) => objectionTo(file, specifier);
  if (ofPage.startsWith('../')) return undefined;
  return (/** @type {string} */ specifier, /** @type {boolean} */ isType) =>
    objectionToOfPage(ofPage, specifier, isType);
}

const layers = {
  meta: {
    type: 'problem',
    docs: { description: 'imports follow scripts/lint/layers.mjs and page-layers.mjs' },
  },
  /** @param {Context} context */
  create(context) {
    const objection = judgeOf(context);
    if (objection === undefined) return {};
    /** @param {Node | null | undefined} source */
    const judge = (source, isType = false) => {
      if (typeof source?.value !== 'string') return;
      const message = objection(source.value, isType);
      if (message !== undefined) context.report({ node: source, message });
    };
    /** @param {Declaration} node */
    const bySource = (node) => judge(node.source, namesTypes(node));
    return {
      ImportDeclaration: bySource,
      ExportNamedDeclaration: bySource,
      ExportAllDeclaration: bySource,
      ImportExpression: bySource,
      /** @param {{ source?: Node | null }} node */
      TSImportType: ({ source }) => judge(source, true),
      /** `import x = require('…')` @param {{ expression?: Node }} node */
      TSExternalModuleReference: ({ expression }) => judge(expression),
      /** @param {{ callee: { type: string, name?: string }, arguments: Node[] }} node */
      CallExpression: ({ callee, arguments: [first] }) =>
        callee.type === 'Identifier' && callee.name === 'require' ? judge(first) : undefined,
    };
  },
};

export default { meta: { name: 'house' }, rules: { layers } };
