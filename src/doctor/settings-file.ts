import { parseEnv } from 'node:util';
import { secretVariables } from '../config/settings.ts';
import { ok, warning, type Finding } from './finding.ts';
import { readAsCompose } from './read-as-compose.ts';
import { readAsSystemd } from './read-as-systemd.ts';

interface Reader {
  readonly name: string;
  readonly valueOf: (variable: string) => unknown;
}

/**
 * The names at the beginnings of lines. Not those that a reader finds: where quotes went wrong, a reader takes the rest of
 * a password for a name.
 */
function namesIn(content: string): string[] {
  const lines = content.matchAll(/^\s*(?:export\s+)?([A-Za-z_]\w*)\s*[=:]/gm);
  return [...new Set([...lines].flatMap(([, name]) => name ?? []))];
}

const isReadBy = (readers: readonly Reader[], variable: string): boolean =>
  readers[0]?.valueOf(variable) !== undefined;

/** The differences, without the values, which may be secret. Undefined if there are none. */
function difference(variable: string, readers: readonly Reader[]): string | undefined {
  const values = [...new Set(readers.map(({ valueOf }) => valueOf(variable)))];
  const groups = values.map((value) => readers.filter(({ valueOf }) => valueOf(variable) === value));
  const [odd = [], others = []] = groups.toSorted((one, other) => one.length - other.length);
  const [name, names] = [odd, others].map((group) => group.map((reader) => reader.name).join(' and '));
  if (groups.length < 2) return undefined;
  if (groups.length > 2) return `every one of systemd, Node and Compose reads another value of ${variable}`;
  if (!isReadBy(odd, variable)) return `${name} does not find ${variable}, as ${names} can`;
  if (!isReadBy(others, variable)) return `only ${name} finds ${variable}`;
  return `${name} reads another value of ${variable} than ${names}`;
}

function remedyFor(variable: string, content: string): string {
  // A quoted value of several lines may hold such a line as well: then this remedy is wrong, and nothing else.
  if (new RegExp(`^\\s*export\\s+${variable}\\s*=`, 'm').test(content))
    return `drop "export" before ${variable}`;
  const quoted = `write ${variable}='value', with no ' in the value and nothing behind it`;
  const isSecret = secretVariables.includes(variable);
  return isSecret ? `${quoted}; or put it into a file of its own, and name that in ${variable}_FILE` : quoted;
}

/**
 * Whether a file of variables means the same to all that may read it: systemd (`EnvironmentFile=`), Node (`--env-file`)
 * and Compose (`env_file`, `.env`). docs/operations.md has a table of what each makes of a line.
 */
export function checkSettingsFile(content: string): Finding[] {
  const [systemd, node, compose] = [readAsSystemd(content), parseEnv(content), readAsCompose(content)];
  const readers: Reader[] = [
    { name: 'systemd', valueOf: (variable) => systemd.get(variable) },
    { name: 'Node', valueOf: (variable) => node[variable] },
  ];
  const findings: Finding[] = [];
  if (compose.kind === 'read') {
    readers.push({ name: 'Compose', valueOf: (variable) => compose.values.get(variable) });
  } else {
    const remedy = `write NAME='value' there, with no ' in the value and nothing behind it`;
    findings.push(warning(`Compose refuses the file because of line ${compose.line}`, remedy));
  }
  for (const variable of namesIn(content)) {
    const detail = difference(variable, readers);
    if (detail !== undefined) findings.push(warning(detail, remedyFor(variable, content)));
  }
  return findings.length > 0 ? findings : [ok('systemd, Node and Compose read the same values')];
}
