import { createPrivateKey, X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import { asksForLogin, isLoopback } from '../config/protection.ts';
import type { Config, TlsSettings } from '../config/config.ts';
import { messageOf } from '../lib/app-error.ts';
import { readPem } from '../lib/net/pem.ts';
import { certificateNames } from '../tls/certificate-names.ts';
import { fingerprintsOf, readKept, trustFileOf, whyRenew, type Kept } from '../tls/kept-certificate.ts';
import { failed, ok, warning, type Finding, type Subject } from './finding.ts';

/** Certificates that renew themselves do so 30 days before their end; after 16 more days something is wrong. */
const warnBeforeMs = 14 * 24 * 3_600_000;

type Read<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'bad'; readonly why: string };

/** OpenSSL does not say which file it speaks of. */
const named = (message: string, file: string): string =>
  message.includes(file) ? message : `${message} (${file})`;

function read<T>(file: string, what: 'certificate' | 'key', parse: (content: Buffer) => T): Read<T> {
  try {
    return { kind: 'read', value: parse(readPem(file, what)) };
  } catch (error) {
    return { kind: 'bad', why: `the ${what} is not usable: ${named(messageOf(error), file)}` };
  }
}

function checkValidity(certificate: X509Certificate, now: number): Finding {
  const [from, to] = [Date.parse(certificate.validFrom), Date.parse(certificate.validTo)];
  const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const remedy = 'renew the certificate; the service loads the new one without a restart';
  if (to <= now) return failed(`the certificate expired on ${day(to)}`, remedy);
  if (from > now) {
    return failed(`the certificate is valid from ${day(from)} on`, 'check the clock of this machine');
  }
  if (to - now < warnBeforeMs) return warning(`the certificate expires on ${day(to)}`, remedy);
  return ok(`${certificate.subject.replaceAll('\n', ', ')}, until ${day(to)}`);
}

function checkPlainHttp(config: Subject['config']): Finding {
  const { bind } = config;
  if (!asksForLogin(config) || isLoopback(bind)) return ok('off: plain HTTP');
  return warning(
    `off: the password can be read from the traffic to ${bind}`,
    'set LAB_API_TLS=self-signed, or LAB_API_TLS_CERT and LAB_API_TLS_KEY, or listen on 127.0.0.1 behind a proxy that speaks TLS',
  );
}

const giveOut = (pairFile: string): string =>
  `give ${trustFileOf(pairFile)} to clients that trust the old one`;

function readKeptPair(pairFile: string): Kept | Finding {
  try {
    return readKept(pairFile);
  } catch (error) {
    const detail = `the self-signed certificate cannot be read: ${messageOf(error)}`;
    return failed(detail, `give ${pairFile} to the user of the service`);
  }
}

/**
 * The certificate of `LAB_API_TLS=self-signed`, as the service left it. One that is due is no fault: a start renews it, and a
 * running service within an hour.
 */
async function checkSelfSigned(config: Config, pairFile: string, nowMs: number): Promise<Finding> {
  const kept = readKeptPair(pairFile);
  switch (kept.kind) {
    case 'none':
      return ok(`self-signed: the first start creates ${trustFileOf(pairFile)} for clients`);
    case 'damaged':
      return warning(
        `the self-signed certificate is damaged: ${kept.why}`,
        `restore ${pairFile} from a backup; otherwise the next start creates a new certificate, which clients must trust`,
      );
    case 'pair': {
      if ((statSync(pairFile).mode & 0o077) !== 0)
        return warning(`other users of this machine may read the key ${pairFile}`, `chmod 0600 ${pairFile}`);
      const why = whyRenew(kept.certificate, await certificateNames(config), nowMs);
      if (why !== undefined) {
        const detail = `the self-signed certificate is due for renewal: ${why}`;
        return warning(
          detail,
          `restart the service, or find the reason in its log; then ${giveOut(pairFile)}`,
        );
      }
      const until = new Date(kept.certificate.validTo).toISOString().slice(0, 10);
      return ok(
        `self-signed, until ${until}; for clients: ${trustFileOf(pairFile)}, or ${fingerprintsOf(kept.certificate).pin}`,
      );
    }
    case 'ok':
    case 'failed':
    case 'warning':
    case 'skipped':
      return kept;
  }
}

/** Checks that the certificate and key are readable, match and are valid now, or that the service makes its own. */
export async function checkTls({ config }: Subject, now = Date.now()): Promise<Finding> {
  const { tls } = config;
  if (tls === undefined) return checkPlainHttp(config);
  return tls.isSelfSigned ? checkSelfSigned(config, tls.certFile, now) : checkFiles(tls, now);
}

function checkFiles(tls: TlsSettings, now: number): Finding {
  const certificate = read(tls.certFile, 'certificate', (content) => new X509Certificate(content));
  if (certificate.kind === 'bad')
    return failed(certificate.why, 'set LAB_API_TLS_CERT to a readable PEM file');
  const key = read(tls.keyFile, 'key', (content) => createPrivateKey(content));
  if (key.kind === 'bad')
    return failed(key.why, 'set LAB_API_TLS_KEY to a readable PEM file without a passphrase');
  if (!certificate.value.checkPrivateKey(key.value)) {
    return failed(
      `the key ${tls.keyFile} does not belong to the certificate ${tls.certFile}`,
      'use the key of this certificate; the first certificate in the file must be the one of the server',
    );
  }
  const validity = checkValidity(certificate.value, now);
  if (validity.kind === 'ok' && (statSync(tls.keyFile).mode & 0o004) !== 0) {
    return warning(`every user of this machine may read the key ${tls.keyFile}`, `chmod o-r ${tls.keyFile}`);
  }
  return validity;
}
