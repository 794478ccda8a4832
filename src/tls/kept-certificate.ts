/** Reads the self-signed certificate that is kept, and decides whether it has to be renewed. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import path from 'node:path';
import { messageOf, systemCode } from '../lib/app-error.ts';
import { keyPin } from '../lib/net/key-pin.ts';
import { readPem } from '../lib/net/pem.ts';
import { shortest, type CertificateNames } from './certificate-names.ts';

/** Leaves enough time to install the new certificate in clients before the old one expires. */
const renewBeforeMs = 60 * 86_400_000;

/** Returns the file for clients: the certificate without its key, in the directory of the pair. */
export function trustFileOf(pairFile: string): string {
  return path.join(path.dirname(pairFile), 'certificate.pem');
}

export type Kept =
  | { readonly kind: 'pair'; readonly certificate: X509Certificate; readonly key: KeyObject }
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged'; readonly why: string };

/** Reads the key and its certificate from one file. @throws Error if the file exists and cannot be read. */
export function readKept(pairFile: string): Kept {
  try {
    const key = createPrivateKey(readPem(pairFile, 'key'));
    const certificate = new X509Certificate(readPem(pairFile, 'certificate'));
    if (key.asymmetricKeyType === 'ec' && certificate.checkPrivateKey(key))
      return { kind: 'pair', certificate, key };
    return { kind: 'damaged', why: 'its key is not that of its certificate' };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return { kind: 'none' };
    // No permission, or a failing disk: with a new key, all clients would have to trust it again.
    if (code !== undefined && /^E[A-Z]+$/.test(code)) throw error;
    return { kind: 'damaged', why: messageOf(error) };
  }
}

/** A lab server gets more and more addresses. */
const mostAddresses = 64;

/**
 * Returns the names of the next certificate: the present ones of the machine, and the addresses of the last certificate. Labs add
 * addresses, remove them and add them again: each address should need only one new certificate.
 */
export function withAddressesOf(
  { subjectAltName = '' }: X509Certificate,
  names: CertificateNames,
): CertificateNames {
  const before = [...subjectAltName.matchAll(/IP Address:([\da-f.:]+)/gi)].map(([, address = '']) =>
    shortest(address),
  );
  return {
    dns: names.dns,
    ips: [...new Set([...names.ips, ...before])].slice(0, Math.max(mostAddresses, names.ips.length)),
  };
}

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Returns the reason for a renewal; undefined if there is none. A name that the machine no longer has is no reason. */
export function whyRenew(
  certificate: X509Certificate,
  { dns, ips }: CertificateNames,
  nowMs: number,
): string | undefined {
  const [fromMs, toMs] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  if (fromMs > nowMs) return `it is valid from ${day(fromMs)} on`;
  if (toMs - nowMs < renewBeforeMs) return `its last day is ${day(toMs)}`;
  const missing = [
    ...dns.filter((name) => certificate.checkHost(name, { wildcards: false }) === undefined),
    ...ips.filter((address) => certificate.checkIP(address) === undefined),
  ];
  return missing.length === 0 ? undefined : `it does not name ${missing.join(', ')}`;
}

/** A client without the file recognizes the server by these. */
export interface Fingerprints {
  /** The SHA-256 of the certificate, as browsers show it. */
  readonly sha256: string;
  /** The hash of the key. */
  readonly pin: string;
}

export function fingerprintsOf(certificate: X509Certificate): Fingerprints {
  return { sha256: certificate.fingerprint256, pin: keyPin(certificate) };
}
