/** Public keys of SSH: a line as `ssh-keygen` writes it (sshd(8), AUTHORIZED_KEYS FILE FORMAT), and its parts. */
import { createHash } from 'node:crypto';

export interface SshPublicKey {
  readonly type: string;
  /** As `ssh-keygen -l` prints it. */
  readonly fingerprint: string;
  readonly comment: string;
  /** The line without the comment. */
  readonly line: string;
}

/** A fingerprint of a key (RFC 4253, section 6.6). */
export function fingerprintOf(key: Buffer): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** The strings of RFC 4251 (section 5) that `bytes` consists of; undefined when it does not. */
export function stringsIn(bytes: Buffer): readonly Buffer[] | undefined {
  const found: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return undefined;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    found.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return found;
}

const leastRsaBits = 2_048;
/** More would cost much time at each login. */
const mostRsaBits = 16_384;

/** The length of an uncompressed point (RFC 5656, section 3.1). */
const pointLengths: Readonly<Record<string, number>> = { nistp256: 65, nistp384: 97, nistp521: 133 };

function rsaProblem([, , modulus]: readonly Buffer[]): string | undefined {
  const digits = modulus?.toString('hex').replace(/^0+/, '') ?? '';
  const bits =
    digits === '' ? 0 : (digits.length - 1) * 4 + Number.parseInt(digits[0] ?? '0', 16).toString(2).length;
  if (bits < leastRsaBits) return `must have at least ${leastRsaBits} bits, and has ${bits}`;
  return bits > mostRsaBits ? `must have at most ${mostRsaBits} bits` : undefined;
}

function problemOf(type: string, parts: readonly Buffer[]): string | undefined {
  const damaged = 'is damaged: copy the whole line of the .pub file';
  if (parts[0]?.toString('latin1') !== type) return damaged;
  if (type === 'ssh-ed25519') return parts.length === 2 && parts[1]?.length === 32 ? undefined : damaged;
  if (type === 'ssh-rsa') return parts.length === 3 ? rsaProblem(parts) : damaged;
  const curve = type.slice('ecdsa-sha2-'.length);
  const isWhole =
    parts.length === 3 && parts[1]?.toString('latin1') === curve && parts[2]?.length === pointLengths[curve];
  return isWhole ? undefined : damaged;
}

const keyTypes = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
];

/** Reads a line; `problem` goes behind the name of the field: `must …`, `is …`. */
export function parseSshKey(text: string): SshPublicKey | { readonly problem: string } {
  const [type = '', base64 = '', ...comment] = text.trim().split(/\s+/);
  if (/PRIVATE KEY/.test(text)) return { problem: 'is a private key: give the line of the .pub file' };
  if (!keyTypes.includes(type))
    return { problem: `must be a line of a .pub file that begins with ${keyTypes.join(', ')}` };
  const key = Buffer.from(base64, 'base64');
  const isBase64 = /^[A-Za-z0-9+/]+={0,2}$/.test(base64);
  const problem = problemOf(type, (isBase64 ? stringsIn(key) : undefined) ?? []);
  if (problem !== undefined) return { problem };
  return { type, fingerprint: fingerprintOf(key), comment: comment.join(' '), line: `${type} ${base64}` };
}
