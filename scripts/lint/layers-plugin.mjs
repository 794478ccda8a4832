/**
 * The rule `house/layers` of the linter: imports follow the table in layers.mjs. oxlint calls such plugins a preview; should
 * one of its versions not run this, tests/repo/layers.test.ts says so, and tests/repo/import-graph.test.ts holds the table
 * all the same.
 */
import path from 'node:path';
import { objectionTo } from './imports.mjs';

/** @typedef {{ readonly type: string, readonly value?: unknown, readonly expression?: Node }} Node */
/** @typedef {{ cwd: string, filename: string, report(found: { node: Node, message: string }): void }} Context */

const layers = {
  meta: { type: 'problem', docs: { description: 'imports follow scripts/lint/layers.mjs' } },
  /** @param {Context} context */
  create(context) {
    const file = path.relative(path.join(context.cwd, 'src'), context.filename).replaceAll('\\', '/');
    if (file.startsWith('../')) return {};
    /** @param {Node | null | undefined} source */
    const judge = (source) => {
      if (typeof source?.value !== 'string') return;
      const message = objectionTo(file, source.value);
      if (message !== undefined) context.report({ node: source, message });
    };
    /** @param {{ source?: Node | null }} node */
    const bySource = ({ source }) => judge(source);
    return {
      ImportDeclaration: bySource,
      ExportNamedDeclaration: bySource,
      ExportAllDeclaration: bySource,
      ImportExpression: bySource,
      TSImportType: bySource,
      /** `import x = require('…')` @param {{ expression?: Node }} node */
      TSExternalModuleReference: ({ expression }) => judge(expression),
      /** @param {{ callee: { type: string, name?: string }, arguments: Node[] }} node */
      CallExpression: ({ callee, arguments: [first] }) =>
        callee.type === 'Identifier' && callee.name === 'require' ? judge(first) : undefined,
    };
  },
};

export default { meta: { name: 'house' }, rules: { layers } };
