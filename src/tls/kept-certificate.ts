/** What is kept of a self-signed certificate, and whether it is good for some time yet. */
import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto';
import path from 'node:path';
import { messageOf, systemCode } from '../lib/app-error.ts';
import { keyPin } from '../lib/net/key-pin.ts';
import { readPem } from '../lib/net/pem.ts';
import { shortest, type CertificateNames } from './certificate-names.ts';

/** Long enough for people to give the new one to their clients before the old one ends. */
const renewBeforeMs = 60 * 86_400_000;

/** The file that clients may have: the certificate without its key. It lies beside the pair. */
export function trustFileOf(pairFile: string): string {
  return path.join(path.dirname(pairFile), 'certificate.pem');
}

export type Kept =
  | { readonly kind: 'pair'; readonly certificate: X509Certificate; readonly key: KeyObject }
  | { readonly kind: 'none' }
  | { readonly kind: 'damaged'; readonly why: string };

/** The key and its certificate in one file. @throws Error when the file is there and cannot be read. */
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
    // Not ours to read, or a disk that fails: another key in its place would cost all clients their trust.
    if (code !== undefined && /^E[A-Z]+$/.test(code)) throw error;
    return { kind: 'damaged', why: messageOf(error) };
  }
}

/** A lab server sees more and more of them. */
const mostAddresses = 64;

/**
 * What the next certificate names: what the machine has now, and the addresses of the last one. Labs bring addresses, take
 * them away and bring them again: each is to cost the clients' trust once.
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

/** Why another certificate is due; undefined while this one is good. A name that the machine has no more is no reason. */
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

/** By what a client that has not got the file knows the server. */
export interface Fingerprints {
  /** Of the certificate, as browsers show it. */
  readonly sha256: string;
  /** Of the key. */
  readonly pin: string;
}

export function fingerprintsOf(certificate: X509Certificate): Fingerprints {
  return { sha256: certificate.fingerprint256, pin: keyPin(certificate) };
}
