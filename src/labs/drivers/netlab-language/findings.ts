/** The mistakes and warnings that a `create` printed about a topology. */
import type { Finding } from '../placed-problems.ts';
import { causesIn } from './error-sentence.ts';
import { failureLog } from './errors/failure-log.ts';
import { reportedErrors } from './errors/reported-errors.ts';

/** `topology.yml:5:5: text`, as the bundled engine prints each, unless it is the only one. */
const placedLine = /^(\S+:\d+:\d+: )(warning: )?(.+)$/;
/** netsim/utils/log.py: a category, the module that found it, the text. */
const warningLine = /^Warning(?: in [\w.-]+(?: [\w.-]+)?)?: (.+)$/;

function findingIn(line: string): Finding | undefined {
  const [, place, mark, text = ''] = placedLine.exec(line) ?? [];
  if (place !== undefined) return { severity: mark ? 'warning' : 'error', text: `${place}${text}` };
  const warning = warningLine.exec(line)?.[1];
  return warning === undefined ? undefined : { severity: 'warning', text: warning };
}

export function findingsIn(output: string, hasFailed: boolean): readonly Finding[] {
  const log = failureLog('create', output);
  const found = log.lines.flatMap((line) => findingIn(line) ?? []);
  if (!hasFailed || found.some(({ severity }) => severity === 'error')) return found;
  // Of a netlab that broke, what it had found before is the reason more often than not.
  const broken = log.lines.findIndex((line) => line.startsWith('Traceback '));
  const before = broken < 0 ? [] : reportedErrors(log.lines.slice(0, broken));
  const causes = [...before, ...causesIn(log)];
  return [...causes.map((text): Finding => ({ severity: 'error', text })), ...found];
}
