import { generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CertificateNames } from '../../src/tls/certificate-names.ts';
import { makeCertificate } from '../../src/tls/make-certificate.ts';

export const dayMs = 86_400_000;

export interface Planted {
  readonly file: string;
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
}

/** Leaves a pair as a service would have made it at that time. */
export async function plantPair(
  dataDir: string,
  names: CertificateNames,
  nowMs: number,
  key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
): Promise<Planted> {
  const file = path.join(dataDir, 'tls', 'self-signed.pem');
  const certificate = await makeCertificate({ key, names, nowMs });
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${key.export({ type: 'pkcs8', format: 'pem' }).toString()}${certificate}`, {
    mode: 0o600,
  });
  return { file, key, certificate: new X509Certificate(certificate) };
}

export function certificateIn(file: string): X509Certificate {
  return new X509Certificate(readFileSync(file));
}
