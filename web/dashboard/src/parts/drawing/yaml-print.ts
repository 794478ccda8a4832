/** Prints values as YAML that reads the same in YAML 1.1 and 1.2. */
import { isMapping } from '../../../../../src/engine/topology/source.ts';

const plainFormat = /^[A-Za-z_/.][\w./%+@-]*(?: [\w./%+@-]+)*$/;
/** Prefixes and addresses begin with a digit, and are no numbers. */
const addressFormat = /^\d+\.\d+\.\d+\.\d+(?:\/\d+)?$/;
const specialWords = /^(?:y|n|yes|no|on|off|true|false|null|nan|\.nan|[-+]?\.inf)$/i;

/** JSON leaves characters as they are that YAML does not print, or takes for line ends. */
export const printQuoted = (text: string): string =>
  JSON.stringify(text).replaceAll(
    /[\u007F-\u009F\u2028\u2029\uFEFF]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

function printText(text: string): string {
  const isPlain = addressFormat.test(text) || (plainFormat.test(text) && !/^\.\d/.test(text));
  return isPlain && !specialWords.test(text) ? text : printQuoted(text);
}

export const printKey = (key: string): string => printText(key);

function printScalar(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'string' ? printText(value) : JSON.stringify(value);
}

/** A value in one line; empty for null, which is no text at all. */
export function printFlow(value: unknown): string {
  if (Array.isArray(value)) return `[${(value as unknown[]).map(printFlow).join(', ')}]`;
  if (!isMapping(value)) return printScalar(value);
  const entries = Object.entries(value).map(([key, inner]) => flowEntry(key, inner));
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ').trimEnd()} }`;
}

/** A space follows the colon also without a value: `r1:,` would be a word. */
export const flowEntry = (key: string, value: unknown): string => `${printText(key)}: ${printFlow(value)}`;

/** Whether a value is printed in the line of its key. */
export const isFlat = (value: unknown): boolean =>
  Array.isArray(value)
    ? !(value as unknown[]).some(isMapping)
    : !isMapping(value) || Object.keys(value).length === 0;

/** An entry of a block map, without the indent of its first line. */
export function blockEntry(key: string, value: unknown, indent: string): string {
  const inner = isFlat(value) ? printFlow(value) : `\n${indent}  ${blockItem(value, `${indent}  `)}`;
  const isApart = inner === '' || inner.startsWith('\n');
  return `${printText(key)}:${isApart ? '' : ' '}${inner}`;
}

/** An item of a block list or the content of a block map, without the indent of its first line. */
export function blockItem(value: unknown, indent: string): string {
  if (isFlat(value)) return printFlow(value);
  const lines = Array.isArray(value)
    ? (value as unknown[]).map((item) => `- ${blockItem(item, `${indent}  `)}`)
    : Object.entries(value as object).map(([key, inner]) => blockEntry(key, inner, indent));
  return lines.join(`\n${indent}`);
}
