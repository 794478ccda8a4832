import { secretVariables } from '../config/settings.ts';
import { ok, warning, type Finding } from './finding.ts';

const blankOrComment = /^[ \t]*(?:#.*)?$/;
const assignment = /^[ \t]*[A-Za-z_]\w*[ \t]*=[ \t]*(?<value>.*)$/;
/** Without quotes, no reader agrees with all others on `#`, `$` and `\`, nor on quotes at the beginning. */
const bare = /^(?:[^\s'"`#$\\](?:[^#$\\]*[^\s#$\\])?)?$/;
/** Compose takes a backslash and a quote for a quote. */
const singleQuoted = /^'[^']*(?<!\\)'$/;
const doubleQuoted = /^"[^"\\$`]*"$/;

/** Whether systemd, Node and Compose read the same from a line, and continue behind it. */
function isPortable(line: string): boolean {
  if (line.endsWith('\\')) return false;
  if (blankOrComment.test(line)) return true;
  const value = assignment.exec(line)?.groups?.['value']?.trimEnd();
  if (value === undefined || /[^\P{Cc}\t]/u.test(line)) return false;
  return [bare, singleQuoted, doubleQuoted].some((form) => form.test(value));
}

/** Whether a reader may take the next lines for a part of this one. */
function mayContinue(line: string): boolean {
  const isOpen = (quote: string): boolean => (line.split(quote).length - 1) % 2 === 1;
  return /\\(?:['"`]|$)/.test(line) || ["'", '"', '`'].some(isOpen);
}

function findingAbout(line: string, number: number): Finding {
  const [, exported, name] = /^\s*(export\s+)?([A-Za-z_]\w*)\s*[=:]/.exec(line) ?? [];
  const variable = name ?? 'this line';
  const detail = `line ${number}: systemd, Node and Compose may read ${variable} differently, or refuse it`;
  if (exported !== undefined && isPortable(line.replace(exported, '')))
    return warning(detail, `remove "export" before ${variable}`);
  const quoted = `write ${name ?? 'NAME'}='value' on one line, without ' in the value and text after it`;
  const isSecret = name !== undefined && secretVariables.includes(name);
  return warning(
    detail,
    isSecret ? `${quoted}; or write the value to a file, and set ${name}_FILE to its path` : quoted,
  );
}

/**
 * Checks that systemd (`EnvironmentFile=`), Node (`--env-file`) and Compose (`env_file`, `.env`) read the same values from
 * a file of variables. docs/operations.md shows how they differ. The findings do not contain values, which may be secret.
 */
export function checkSettingsFile(content: string): Finding[] {
  const findings: Finding[] = [];
  for (const [index, text] of content.split('\n').entries()) {
    const line = text.replace(/\r$/, '');
    if (isPortable(line)) continue;
    findings.push(findingAbout(line, index + 1));
    // A line of a value of several lines is not a variable, and must not be printed as one.
    if (mayContinue(line)) break;
  }
  return findings.length > 0 ? findings : [ok('systemd, Node and Compose read the same values')];
}
