import { readRegularFile } from '../files/read-regular-file.ts';

/** For a file of another kind, OpenSSL only says `no start line`. The labels are those of RFC 7468. */
const kinds = {
  certificate: /-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/,
  key: /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/,
} as const;

/**
 * Reads a PEM file that an administrator named.
 * @throws Error that names the file when it cannot be read, or has nothing of the kind in it.
 */
export function readPem(file: string, kind: keyof typeof kinds): Buffer {
  const content = readRegularFile(file);
  const text = content.toString('latin1');
  if (!text.includes('-----BEGIN ')) throw new Error(`${file} is not a PEM file`);
  if (!kinds[kind].test(text)) throw new Error(`${file} has no ${kind} in it`);
  return content;
}
