import Table from 'cli-table3';
import { styleText } from 'node:util';
import type { Report } from './diagnose.ts';
import type { Finding } from './finding.ts';

interface Look {
  readonly isColored: boolean;
  /** Width of the terminal; undefined where there is none, and lines are then as long as they are. */
  readonly columns: number | undefined;
}

const colors = { ok: 'green', warning: 'yellow', failed: 'red', skipped: 'gray' } as const;
/** The longest word of the first column, and the longest name of a check, with their margins. */
const wordColumn = 9;
const nameColumn = 16;
const frame = 4;
const narrowest = 60;

function words(finding: Finding): string {
  switch (finding.kind) {
    case 'ok':
    case 'skipped':
      return finding.detail;
    case 'warning':
    case 'failed':
      return `${finding.detail}\n→ ${finding.remedy}`;
  }
}

/** A table for people: each check, its result, and the remedy for each problem. */
export function asTable(reports: readonly Report[], { isColored, columns }: Look): string {
  const rest = columns && Math.max(columns, narrowest) - wordColumn - nameColumn - frame;
  const table = new Table({
    style: { head: [], border: [], compact: true },
    wordWrap: true,
    colWidths: rest === undefined ? [] : [wordColumn, nameColumn, rest],
  });
  for (const { name, finding } of reports) {
    const paint = (text: string): string => (isColored ? styleText(colors[finding.kind], text) : text);
    table.push([paint(finding.kind), name, words(finding)]);
  }
  const count = (kind: Finding['kind']): number =>
    reports.filter(({ finding }) => finding.kind === kind).length;
  return `${table.toString()}\n${count('ok')} ok, ${count('warning')} warning, ${count('failed')} failed, ${count('skipped')} skipped\n`;
}

/** For programs: `ok` is false when a check failed; warnings do not count. */
export function asJson(reports: readonly Report[]): string {
  const checks = reports.map(({ name, finding: { kind, ...said } }) => ({ name, result: kind, ...said }));
  return `${JSON.stringify({ ok: checks.every(({ result }) => result !== 'failed'), checks }, null, 2)}\n`;
}
