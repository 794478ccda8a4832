/** The lines of the audit. Every name in them is one of these, whatever a client sends. */
import type { AuditEntry } from '../model/audit.ts';

/** Refused requests of one address that got no line of their own. */
interface MoreRefusals {
  readonly event: 'more-refusals';
  /** Absent for all addresses that there was no room to tell apart. */
  readonly address?: string;
  readonly count: number;
}

/** Lines that the file did not take; they are in the service's log. */
interface Gap {
  readonly event: 'gap';
  readonly count: number;
}

export type AuditLine = (AuditEntry | MoreRefusals | Gap) & { readonly time: string };

/** As long as a path may be on Linux would be 4096. What is longer than this is cut: a line stays readable, and a flood small. */
const maxCharacters = 1_000;
/** Anybody may send one; the parts of it that mean something have fields of their own. */
const maxPathCharacters = 300;

function cut(value: unknown, max: number): unknown {
  return typeof value === 'string' && value.length > max ? `${value.slice(0, max)}…` : value;
}

/** The line of an entry, noted now. */
export function auditLine(entry: AuditEntry | MoreRefusals | Gap): AuditLine {
  const fields = Object.entries(entry).map(([name, value]) => [
    name,
    cut(value, name === 'path' ? maxPathCharacters : maxCharacters),
  ]);
  return { time: new Date().toISOString(), ...(Object.fromEntries(fields) as typeof entry) };
}
