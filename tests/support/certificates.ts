import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { requirement } from './requirements.ts';

const openssl = requirement('openssl');

/** Why no certificate can be made here; undefined when it can. */
export const opensslMissing = openssl.missing;

export interface Pair {
  readonly cert: string;
  readonly key: string;
}

/** A self-signed certificate for 127.0.0.1 with this common name, and its key, as PEM; also left in `directory`. */
export function makePair(directory: string, commonName: string, days = 2): Pair {
  const [certFile, keyFile] = ['cert', 'key'].map((kind) =>
    path.join(directory, `${commonName}.${kind}.pem`),
  );
  execFileSync(
    openssl.file,
    // prettier-ignore
    [
      'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', String(days),
      '-subj', `/CN=${commonName}`, '-addext', 'subjectAltName=IP:127.0.0.1',
      '-keyout', keyFile!, '-out', certFile!,
    ],
    { stdio: 'pipe' },
  );
  return { cert: readFileSync(certFile!, 'utf8'), key: readFileSync(keyFile!, 'utf8') };
}
