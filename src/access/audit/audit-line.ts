/** The lines of the audit. A client cannot add other fields to them. */
import type { AuditEntry } from '../model/audit.ts';

/** Refused requests of one address that have no line of their own. */
interface MoreRefusals {
  readonly event: 'more-refusals';
  /** Absent for the addresses beyond the limit, which are counted together. */
  readonly address?: string;
  readonly count: number;
}

/** Lines that the file did not take. They are in the log of the service. */
interface Gap {
  readonly event: 'gap';
  readonly count: number;
}

export type AuditLine = (AuditEntry | MoreRefusals | Gap) & { readonly time: string };

/** Longer values are cut, so that lines stay readable and a flood stays small. (A path on Linux may have 4096 bytes.) */
const maxCharacters = 1_000;
/** Any client can send a path, and its meaningful parts have fields of their own. */
const maxPathCharacters = 300;

function cut(value: unknown, max: number): unknown {
  return typeof value === 'string' && value.length > max ? `${value.slice(0, max)}…` : value;
}

/** Makes the line of an entry, with the present time. */
export function auditLine(entry: AuditEntry | MoreRefusals | Gap): AuditLine {
  const fields = Object.entries(entry).map(([name, value]) => [
    name,
    cut(value, name === 'path' ? maxPathCharacters : maxCharacters),
  ]);
  return { time: new Date().toISOString(), ...(Object.fromEntries(fields) as typeof entry) };
}
