/** scrypt (RFC 7914) in PHC string format: https://github.com/P-H-C/phc-string-format/blob/master/phc-sf-spec.md */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

interface ScryptHash {
  /** The logarithm of the cost, N. */
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/**
 * The parameters that the author of scrypt proposes for logins, and the default of Node: 16 MiB (128 · N · r bytes) and some
 * 40 ms of one core. With twice the cost, a user's first login takes over 200 ms while strangers guess a thousand times a second
 * (scripts/bench.mjs login, two cores), because it waits for the hash of a stranger and for its own.
 */
const own = { ln: 14, r: 8, p: 1 } as const;
const saltBytes = 16;
const hashBytes = 32;

/** Eight times the memory of our own: enough for the parameters of other programs, and too little for a hash that needs gigabytes. */
const mostMemoryBytes = 128 * 1024 ** 2;
const mostWork = 2 ** 20;

const derive = promisify(scrypt) as (
  text: string,
  salt: Buffer,
  bytes: number,
  options: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number },
) => Promise<Buffer>;

const memoryBytes = ({ ln, r, p }: Pick<ScryptHash, 'ln' | 'r' | 'p'>): number => 128 * r * (2 ** ln + p);

const form =
  /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,3}),p=(\d{1,3})\$([A-Za-z0-9+/]{11,86})\$([A-Za-z0-9+/]{22,86})$/;

/** Returns the parts of a hash, or a sentence about the mistake in it. */
export function readScrypt(text: string): ScryptHash | string {
  const [, ln, r, p, salt = '', hash = ''] = form.exec(text) ?? [];
  if (ln === undefined) return 'is no scrypt hash in PHC format';
  const parts = { ln: Number(ln), r: Number(r), p: Number(p) };
  // The minimum of RFC 7914 for r and p, and our minimum for the cost of a guess.
  if (parts.ln < 10 || parts.r < 1 || parts.p < 1) return 'is a scrypt hash that costs too little to guess';
  if (memoryBytes(parts) > mostMemoryBytes + 2 ** 20 || 2 ** parts.ln * parts.r * parts.p > mostWork)
    return 'is a scrypt hash that costs too much to check';
  return { ...parts, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

async function derived(text: string, like: Omit<ScryptHash, 'hash'>, bytes: number): Promise<Buffer> {
  const { ln, r, p, salt } = like;
  // OpenSSL counts some hundred bytes more than the formula.
  return derive(text, salt, bytes, { N: 2 ** ln, r, p, maxmem: memoryBytes(like) + 2 ** 20 });
}

/** Base64 without padding, the format of PHC strings. */
const base64 = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');

export async function scryptOf(text: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const hash = await derived(text, { ...own, salt }, hashBytes);
  return `$scrypt$ln=${own.ln},r=${own.r},p=${own.p}$${base64(salt)}$${base64(hash)}`;
}

/** False for a malformed hash. */
export async function isOfScrypt(kept: string, text: string): Promise<boolean> {
  const parts = readScrypt(kept);
  if (typeof parts === 'string') return false;
  return timingSafeEqual(await derived(text, parts, parts.hash.length), parts.hash);
}
