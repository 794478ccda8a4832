/** The part of Docker's output formats that its users here need: `json`, and Go templates of fields (docker ps --format). */
import { EngineError } from '../core/engine-error.ts';

/** The values of one container, image or network: texts, and objects with further values. */
export interface Row {
  readonly [name: string]: string | number | Row;
}

/** `{{if .State.Health}}…{{end}}`: the text between them is there if the value is (text/template). */
const conditional = /\{\{\s*if \.([\w.]+)\s*\}\}(.*?)\{\{\s*end\s*\}\}/g;

/** `Label "name"` is the value of that label. */
const action = /\{\{\s*\.([\w.]+)(?:\s+"([^"]*)")?\s*\}\}/g;

function find(row: Row, words: readonly string[]): string | number | Row | undefined {
  let value: string | number | Row | undefined = row;
  for (const word of words) value = typeof value === 'object' ? value[word] : undefined;
  return value;
}

function valueOf(row: Row, words: readonly string[]): string {
  const value = find(row, words);
  if (value === undefined || typeof value === 'object')
    throw new EngineError(`this docker has no value "${words.join('.')}"`);
  return String(value);
}

function withoutConditions(row: Row, format: string): string {
  return format.replaceAll(conditional, (_all, name: string, text: string) =>
    find(row, name.split('.')) === undefined ? '' : text,
  );
}

/** One line for each row. @throws EngineError for a value or a template that is not supported. */
export function formatRows(rows: readonly Row[], format: string): string {
  if (format === 'json') return rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const lines = rows.map((row) =>
    withoutConditions(row, format).replaceAll(action, (_all, name: string, label: string | undefined) =>
      label === undefined
        ? valueOf(row, name.split('.'))
        : valueOf({ ...row, [label]: '', ...(row['Labels'] as Row) }, [label]),
    ),
  );
  const strange = lines.find((line) => line.includes('{{'));
  if (strange !== undefined) throw new EngineError(`this docker has no format "${strange}"`);
  return lines.map((line) => `${line}\n`).join('');
}
