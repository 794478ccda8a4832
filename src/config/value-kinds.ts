/** The kinds of values that settings have: how each is read, and the sentence about a value that is wrong. */
import net from 'node:net';
import path from 'node:path';
import * as z from 'zod';
import { isWithoutUnit, parseDuration } from '../lib/text/duration.ts';
import { expandHome } from '../lib/files/home.ts';
import { parseSize } from '../lib/text/size.ts';
import { isLoopback } from './protection.ts';

export const text = z.string().min(1);
export const boolean = oneOf(['true', 'false']).transform((value) => value === 'true');

/** In milliseconds. */
export const duration = z.string().transform((value, context) => {
  const ms = parseDuration(value);
  if (ms !== undefined && ms > 0) return ms;
  context.addIssue(`"${value}" is not a duration: write 30, 500ms, 10s, 5m, 4h or 30d`);
  return z.NEVER;
});

/** The same with a unit: beside settings in days, a bare number would be taken for days. */
export const durationWithUnit = z
  .string()
  .refine((value) => !isWithoutUnit(value), {
    error: ({ input }) => `"${String(input)}" needs a unit: write 12h or 30d`,
  })
  .pipe(duration);

/** A bare number below this is one whose unit was forgotten. */
const leastBareSize = 1024;

/** In bytes. */
export const size = z.string().transform((value, context) => {
  const bytes = parseSize(value);
  const isForgotten = bytes !== undefined && bytes > 0 && bytes < leastBareSize && isWithoutUnit(value);
  if (bytes !== undefined && !isForgotten) return bytes;
  context.addIssue(
    isForgotten
      ? `"${value}" would be bytes: write a unit, like ${value.trim()}GiB or ${value.trim()}MiB`
      : `"${value}" is not a size: write bytes, or 512MiB, 1GiB`,
  );
  return z.NEVER;
});

export const sizeOverZero = size.refine((bytes) => bytes > 0, 'must not be 0');

/** A whole number between two bounds, both included. */
export function wholeNumber(min: number, max: number) {
  return z.string().transform((value, context) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    context.addIssue(`"${value}" is not a whole number from ${min} to ${max}`);
    return z.NEVER;
  });
}

/** Each given value must be one of these; the message lists them. */
export function oneOf<const Values extends readonly [string, ...string[]]>(values: Values) {
  return z.enum(values, { error: (issue) => `"${String(issue.input)}" is not one of ${values.join(', ')}` });
}

/** None when the variable is not set. Set to separators alone, it would silently mean "no restriction". */
function list(separator: string) {
  return z.string().transform((value, context): readonly string[] => {
    const entries = value.split(separator).map((entry) => entry.trim());
    const given = entries.filter((entry) => entry !== '');
    if (value !== '' && given.length === 0) context.addIssue(`"${value}" names nothing`);
    return given;
  });
}

/** The problem with a range of addresses, as the rest of a sentence; undefined for a sound one. */
function addressRangeProblem(range: string): string | undefined {
  const [address = '', bits, ...rest] = range.split('/');
  const most = { 0: 0, 4: 32, 6: 128 }[net.isIP(address)] ?? 0;
  const isRange = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most);
  if (most === 0 || !isRange || rest.length > 0 || address.includes('%'))
    return 'is not an address or a network: write something like 192.0.2.7 or 2001:db8::/32';
  return bits !== undefined && Number(bits) === 0
    ? 'matches every address: name only the proxies'
    : undefined;
}

/** Addresses and networks (192.0.2.7, 2001:db8::/32), as text. */
export const addressRanges = list(',').transform((entries, context) => {
  for (const entry of entries) {
    const problem = addressRangeProblem(entry);
    if (problem !== undefined) context.addIssue(`"${entry}" ${problem}`);
  }
  return entries;
});

/** Headers with another meaning. With a proxy that passes one on, a client could choose its own user name. */
const takenHeaders = ['authorization', 'connection', 'cookie', 'forwarded', 'host', 'origin', 'user-agent'];

/** RFC 9110, section 5.1. In lower case, as Node has it. */
export const headerName = text.transform((value, context) => {
  const name = value.toLowerCase();
  const isTaken = takenHeaders.includes(name) || /^(x-forwarded-|content-|sec-)/.test(name);
  if (/^[\w!#$%&'*+.^`|~-]+$/.test(name) && !isTaken) return name;
  const why = isTaken ? 'has another meaning already' : 'is not the name of a header';
  context.addIssue(`"${value}" ${why}: write something like X-Remote-User`);
  return z.NEVER;
});

/** As browsers write an origin (RFC 6454, section 6.2): no default port, lower case. */
export const origins = list(',').transform((entries, context) =>
  entries.map((entry) => {
    if (/^https?:\/\/[^/?#@*\\\s]+$/i.test(entry) && URL.canParse(entry)) return new URL(entry).origin;
    const why = entry.includes('*') ? 'names no single origin' : 'is not an origin';
    context.addIssue(
      `"${entry}" ${why}: write scheme://host or scheme://host:port, like https://labs.example.com`,
    );
    return z.NEVER;
  }),
);

/** As it is written, with `~` for the home directory. */
export const filePath = text.transform(expandHome);

export const absolutePath = text.transform((value) => path.resolve(expandHome(value)));

export const basePath = z.string().transform((value, context) => {
  const trimmed = value.replace(/\/+$/, '');
  if (trimmed === '' || /^(\/[\w.~-]+)+$/.test(trimmed)) return trimmed;
  context.addIssue(`"${value}" is not a path prefix: write something like /netlab`);
  return z.NEVER;
});

/** Of a webhook, which is often a secret: the message does not have it. */
export const httpUrl = text.refine(
  (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  'must be an http or https URL',
);

export const directories = list(':').transform((roots, context): readonly string[] =>
  roots.map((root) => {
    // Commas are allowed in names, but no name is one of several paths.
    if (/[,;]\s*[/~]/.test(root)) context.addIssue(`"${root}": separate directories with colons`);
    return path.resolve(expandHome(root));
  }),
);

/** In lower case. */
export const hostNames = list(',').transform((hosts): readonly string[] =>
  hosts.map((host) => host.toLowerCase()),
);

/** The same, of hosts that are asked: a URL or a pattern would match none. */
export const askedHosts = hostNames.superRefine((hosts, context) => {
  for (const host of hosts)
    if (net.isIP(host) !== 6 && !/^(?:[\w.-]+|\[[\d:a-f.]+\])(?::\d+)?$/.test(host))
      context.addIssue(`"${host}" is not a host: write names like git.example.com, with commas between them`);
});

/** The names of one or several lab CLIs; `auto` is not a name. */
export const labClis = z.string().transform((value, context): readonly [string, ...string[]] => {
  const [first, ...others] = value.split(',').map((entry) => entry.trim());
  const entries = [first ?? '', ...others] as const;
  if (entries.includes('')) {
    context.addIssue(`"${value}" has an empty entry: write names, with commas between them`);
    return z.NEVER;
  }
  for (const entry of new Set(entries)) {
    if (entries.filter((other) => other === entry).length > 1)
      context.addIssue(`"${entry}" is named twice: each lab CLI can be there once`);
    if (entry === 'auto') context.addIssue('"auto" may be any of them: name those that are meant');
  }
  return [...entries];
});

const webhookKinds = {
  job: ['queued', 'running', 'canceling', 'success', 'failed', 'canceled', 'removed'],
  lab: [
    'appeared',
    'changed',
    'ready',
    'gone',
    'expiring',
    'expired',
    'expiry-failed',
    'fault-set',
    'fault-healed',
  ],
  service: ['started', 'stopping'],
} as const;

/** Every kind of event and every type of one: `job`, `job.queued`. */
export const webhookEvents: readonly string[] = Object.entries(webhookKinds).flatMap(([kind, types]) => [
  kind,
  ...types.map((type) => `${kind}.${type}`),
]);

export const eventNames = list(',').transform((names, context): readonly string[] => {
  for (const name of names)
    if (!webhookEvents.includes(name))
      context.addIssue(`"${name}" is not one of ${webhookEvents.join(', ')}`);
  return names;
});

/** 24 to 64 bytes: https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md */
export const webhookSecret = z.string().refine((value) => {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value)?.[1] ?? '';
  const { length } = Buffer.from(base64, 'base64');
  return length >= 24 && length <= 64;
}, 'must be "whsec_" and 24 to 64 random bytes in base64: echo whsec_$(openssl rand -base64 32)');

/** The name or a label of a host: both stand in paths and in lists that are separated by commas. */
const hostWord = /^[A-Za-z0-9][\w.-]{0,62}$/;

export const hostName = z
  .string()
  .refine((value) => hostWord.test(value), 'must be letters, digits, ".", "_" or "-", at most 63');

export const hostLabels = z.string().transform((value, context): readonly string[] => {
  const labels = value.split(',').map((label) => label.trim());
  const given = labels.filter((label) => label !== '');
  for (const label of given)
    if (!hostWord.test(label))
      context.addIssue(`"${label}" is not a label: write letters, digits, ".", "_" or "-"`);
  return given;
});

/** The sentence about a wrong one does not repeat it: it may have a password in it. */
export const redisUrl = text.refine(
  (value) => URL.canParse(value) && /^rediss?:$/.test(new URL(value).protocol),
  { error: 'must be redis://[:password@]host[:port][/database], or rediss:// for TLS' },
);

/** The URL at which the other hosts of a cluster reach this one. */
export const peerUrl = text.refine(
  (value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol),
  { error: 'must be where the other hosts reach this one, like https://lab2.example.com:8090' },
);

const leastSecret = 32;

export const sharedSecret = text.refine(
  (value) => value.length >= leastSecret,
  `must have ${leastSecret} characters at least, the same on all hosts: openssl rand -base64 32`,
);

/** OpenID Connect Discovery 1.0, section 4.1: without query and fragment. Without TLS, any program on the way could log in as any user. */
export const issuerUrl = text.refine(
  (value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, hostname, search, hash } = new URL(value);
    return search + hash === '' && (protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)));
  },
  {
    error: ({ input }) =>
      `"${String(input)}" is not an https URL; http is for an address of this machine alone`,
  },
);

export const publicUrl = text
  .refine((value) => {
    if (!URL.canParse(value)) return false;
    const { protocol, search, hash, username } = new URL(value);
    return /^https?:$/.test(protocol) && search + hash + username === '';
  }, 'must be where browsers reach this server, like https://lab.example.com')
  .transform((value) => new URL(value).href.replace(/\/+$/, ''));

export const oidcScopes = text.refine(
  (value) => value.split(' ').includes('openid'),
  'must have "openid" (OpenID Connect Core 1.0, section 3.1.2.1): write "openid profile groups"',
);

const claimRole = /^(viewer|operator|admin)=(.+)$/s;
/** Such a value is hardly one of a claim: the entries were separated by another sign. */
const furtherRole = /[\s,:|&]\s*(viewer|operator|admin)\s*=/;

/** `role=value` entries. The values may be names of directories, which have commas in them. */
export const claimRoles = list(';').transform((entries, context) =>
  entries.flatMap((entry) => {
    if (furtherRole.test(entry))
      context.addIssue(`"${entry}" has more than one role: separate the entries with semicolons`);
    const [, role, value] = claimRole.exec(entry) ?? [];
    if (role !== undefined && value !== undefined)
      return [{ role: role as 'viewer' | 'operator' | 'admin', value: value.trim() }];
    context.addIssue(`"${entry}" is not viewer=…, operator=… or admin=… with a value of the claim`);
    return [];
  }),
);
