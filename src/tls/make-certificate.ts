/**
 * Makes an X.509 certificate (RFC 5280), which Node itself cannot. The service imports this file only for a new certificate: the
 * packages take some megabytes, and a certificate is made once in two years.
 */
// oxlint-disable-next-line import/no-unassigned-import -- it adds to `Reflect`, and the next package needs that
import 'reflect-metadata';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { createPublicKey, randomBytes, webcrypto, type KeyObject } from 'node:crypto';
import type { CertificateNames } from './certificate-names.ts';

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;
/** Apple's systems accept no server certificate for more than 825 days (support.apple.com/en-us/103769). */
const lifetimeMs = 820 * dayMs;
/** Lets clients whose clock is somewhat behind accept the certificate. */
const clockSlackMs = dayMs;
/** RFC 5280, upper bound of a common name. Clients use the alternative names; this one is for people. */
const longestCommonName = 64;

interface Wanted {
  /** EC P-256. */
  readonly key: KeyObject;
  readonly names: CertificateNames;
  readonly nowMs: number;
}

async function keysOf(key: KeyObject): Promise<webcrypto.CryptoKeyPair> {
  const { subtle } = webcrypto;
  const privateDer = key.export({ type: 'pkcs8', format: 'der' });
  const publicDer = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const [privateKey, publicKey] = await Promise.all([
    subtle.importKey('pkcs8', privateDer, algorithm, false, ['sign']),
    subtle.importKey('spki', publicDer, algorithm, true, ['verify']),
  ]);
  return { privateKey, publicKey };
}

/**
 * Makes a certificate that the server signs itself, as PEM. It is no authority: a thief of its key can impersonate these names
 * only.
 */
export async function makeCertificate({ key, names, nowMs }: Wanted): Promise<string> {
  const keys = await keysOf(key);
  const [commonName = ''] = names.dns.filter(
    (name) => name !== 'localhost' && name.length <= longestCommonName,
  );
  const certificate = await X509CertificateGenerator.createSelfSigned({
    // Positive, and new each time: browsers refuse two certificates with the same number.
    serialNumber: `01${randomBytes(15).toString('hex')}`,
    name: [{ CN: [commonName || 'localhost'] }, { O: ['lab-api, self-signed'] }],
    notBefore: new Date(nowMs - clockSlackMs),
    notAfter: new Date(nowMs - clockSlackMs + lifetimeMs),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        ...names.dns.map((value) => ({ type: 'dns', value }) as const),
        ...names.ips.map((value) => ({ type: 'ip', value }) as const),
      ]),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return `${certificate.toString('pem')}\n`;
}
