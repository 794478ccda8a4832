/**
 * The messages of Ansible about failed hosts, in its default format (`fatal: [h1]: FAILED! => {json}`) and in the format of the
 * callback that netlab uses for configurations (`* h1 - FAILED!!! ---`, the message indented below).
 */
import { linesBelow } from './failure-log.ts';

interface HostFailure {
  readonly host: string;
  readonly task: string;
  readonly isUnreachable: boolean;
  readonly message: string;
}

/** Half of what Ansible says is advice about Ansible. */
const advice: readonly RegExp[] = [
  /[; ]*See stdout\/stderr for the exact error\.?/,
  /[; ]*See stdout\/stderr for the details\.?/,
  /\.? In some cases, you may have been able to authenticate and did not have permissions .*/,
];

function withoutAdvice(message: string): string {
  return advice.reduce((text, words) => text.replace(words, ''), message.replaceAll(/\s+/g, ' ')).trim();
}

const lastLineOf = (output: unknown): string =>
  (typeof output === 'string' ? output.trim().split('\n').at(-1) : undefined) ?? '';

/** The `msg` of what Ansible prints as JSON; of what is not JSON (another callback, a cut line) the text. */
function messageOf(printed: string): string {
  try {
    const { msg, rc, stderr, stdout } = JSON.parse(printed) as Readonly<Record<string, unknown>>;
    // A task with `no_log` has no message.
    if (msg === undefined || msg === null) return lastLineOf(stderr);
    const text = typeof msg === 'string' ? msg : JSON.stringify(msg);
    // Of a command, or of a template that is a script: its last line and its exit code tell more.
    if (text !== 'non-zero return code') return text;
    const code = typeof rc === 'number' ? `exit code ${rc}` : '';
    const told = [lastLineOf(stderr) || lastLineOf(stdout), code].filter((part) => part !== '');
    return told.join('; ') || text;
  } catch {
    return /"msg": "((?:[^"\\]|\\.)*)/.exec(printed)?.[1] ?? printed;
  }
}

function failureAt(lines: readonly string[], index: number, task: string): HostFailure | undefined {
  const line = lines[index] ?? '';
  const plain =
    /^(?:fatal|failed): \[([^\s\]]+)[^\]]*\](?:: (UNREACHABLE|FAILED)!)?(?: \(.*?\))? => (.*)$/.exec(line);
  if (plain?.[1] !== undefined) {
    if (lines[index + 1]?.startsWith('...ignoring')) return undefined;
    const message = withoutAdvice(messageOf(plain[3] ?? ''));
    return { host: plain[1], task, isUnreachable: plain[2] === 'UNREACHABLE', message };
  }
  const selective = /^ {2}\* (\S+) +- (FAILED|UNREACHABLE)!!! -/.exec(line);
  if (selective?.[1] === undefined) return undefined;
  const message = withoutAdvice(linesBelow(lines, index, (below) => /^ {4}\S/.test(below)).join('; '));
  return { host: selective[1], task, isUnreachable: selective[2] === 'UNREACHABLE', message };
}

function hostFailures(lines: readonly string[]): HostFailure[] {
  let task = '';
  return lines.flatMap((line, index) => {
    const heading = /^(?:TASK \[(.*)\] \*+|# (.*?) \*{3,})$/.exec(line);
    if (heading) task = heading[1] ?? heading[2] ?? '';
    return failureAt(lines, index, task) ?? [];
  });
}

/** Each thing that went wrong, once, with the hosts that it went wrong on. */
function grouped(failures: readonly HostFailure[], say: (failure: HostFailure, hosts: string) => string) {
  const hostsOf = new Map<string, { failure: HostFailure; hosts: Set<string> }>();
  for (const failure of failures) {
    const key = say(failure, '');
    const group = hostsOf.get(key) ?? { failure, hosts: new Set() };
    hostsOf.set(key, { ...group, hosts: group.hosts.add(failure.host) });
  }
  return [...hostsOf.values()].map(({ failure, hosts }) => say(failure, [...hosts].join(', ')));
}

export function unreachableHosts(lines: readonly string[]): readonly string[] {
  const unreachable = hostFailures(lines).filter(({ isUnreachable }) => isUnreachable);
  return grouped(
    unreachable,
    ({ message }, hosts) => `Ansible cannot reach ${hosts}${message === '' ? '' : `: ${message}`}`,
  );
}

export function failedTasks(lines: readonly string[]): readonly string[] {
  const failed = hostFailures(lines).filter(({ isUnreachable }) => !isUnreachable);
  return grouped(failed, ({ task, message }, hosts) => {
    const where = `Ansible${task === '' ? '' : ` task "${task}"`} failed on ${hosts}`;
    // The name of a task may have the path of a file in it.
    return message === '' ? where : `${message} (${where})`;
  });
}
