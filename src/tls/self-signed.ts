/** `LAB_API_TLS=self-signed`: makes a certificate for this machine, keeps it, and renews it in time. */
import { generateKeyPairSync, X509Certificate, type KeyObject } from 'node:crypto';
import { chmod, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Config } from '../config/config.ts';
import { messageOf } from '../lib/app-error.ts';
import { every } from '../lib/async/disposal.ts';
import type { Logger } from '../lib/logger.ts';
import { makeDirectories } from '../lib/files/make-directories.ts';
import { writeDurably } from '../lib/files/write-durably.ts';
import { certificateNames, type CertificateNames } from './certificate-names.ts';
import {
  fingerprintsOf,
  readKept,
  trustFileOf,
  whyRenew,
  withAddressesOf,
  type Kept,
} from './kept-certificate.ts';

/** Addresses change while the service runs, and its clock may be set. */
const checkIntervalMs = 3_600_000;

interface Parts {
  /** The key and the certificate, in one file: no crash leaves one without the other. */
  readonly pairFile: string;
  readonly names: () => Promise<CertificateNames>;
  readonly log: Logger;
  /** In ms since 1970; for tests. */
  readonly nowMs?: () => number;
}

interface Due {
  readonly why: string;
  /** Undefined for a new key. A renewal keeps the key, so that clients that have pinned it go on working. */
  readonly key: KeyObject | undefined;
  readonly names: CertificateNames;
}

export class SelfSigned {
  readonly #pairFile: string;
  readonly #names: () => Promise<CertificateNames>;
  readonly #log: Logger;
  readonly #nowMs: () => number;
  #running = Promise.resolve();
  #current: X509Certificate | undefined;
  #stopTimer: (() => void) | undefined;

  constructor({ pairFile, names, log, nowMs = Date.now }: Parts) {
    this.#pairFile = pairFile;
    this.#names = names;
    this.#log = log;
    this.#nowMs = nowMs;
  }

  /**
   * Makes sure that there is a valid pair, now and later. The server watches the file.
   * @throws Error with one sentence if the disk refuses.
   */
  async open(): Promise<void> {
    const directory = path.dirname(this.#pairFile);
    try {
      await makeDirectories(directory, 0o700);
      this.#logFacts(await this.#renewed());
      await this.#closeToOthers();
    } catch (error) {
      throw new Error(`the self-signed certificate cannot be kept in ${directory}: ${messageOf(error)}`, {
        cause: error,
      });
    }
    this.#stopTimer = every(checkIntervalMs, () => void this.check());
  }

  /** Renews the certificate if that is due. If the disk refuses, it logs the reason, and tries again an hour later. */
  async check(): Promise<void> {
    this.#running = this.#running.then(async () => {
      try {
        const before = this.#current;
        const current = await this.#renewed();
        if (current.fingerprint256 !== before?.fingerprint256) this.#logFacts(current);
      } catch (error) {
        this.#log.error('the self-signed TLS certificate cannot be renewed', { cause: messageOf(error) });
      }
    });
    return this.#running;
  }

  async close(): Promise<void> {
    this.#stopTimer?.();
    await this.#running;
  }

  /** Returns the valid certificate: the present one, or a new one. */
  async #renewed(): Promise<X509Certificate> {
    const kept = readKept(this.#pairFile);
    const names = await this.#names();
    const due = this.#dueOf(kept, names);
    if (due !== undefined) await this.#write(due);
    const current = new X509Certificate(await readFile(this.#pairFile));
    await this.#writeTrustFile(current);
    this.#current = current;
    return current;
  }

  async #write({ key: before, why, names }: Due): Promise<void> {
    const { makeCertificate } = await import('./make-certificate.ts');
    const key = before ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const certificate = await makeCertificate({ key, names, nowMs: this.#nowMs() });
    const content = `${key.export({ type: 'pkcs8', format: 'pem' }).toString()}${certificate}`;
    await writeDurably(this.#pairFile, content, 0o600);
    const what = before
      ? 'the self-signed TLS certificate was renewed'
      : 'a self-signed TLS certificate was made';
    this.#log.info(what, { because: why });
  }

  #dueOf(kept: Kept, names: CertificateNames): Due | undefined {
    switch (kept.kind) {
      case 'none':
        return { why: 'there was none', key: undefined, names };
      case 'damaged':
        this.#log.warn('the self-signed TLS certificate is damaged; clients have to trust a new one', {
          file: this.#pairFile,
          cause: kept.why,
        });
        return { why: kept.why, key: undefined, names };
      case 'pair': {
        const why = whyRenew(kept.certificate, names, this.#nowMs());
        if (why === undefined) return undefined;
        return { why, key: kept.key, names: withAddressesOf(kept.certificate, names) };
      }
    }
  }

  /** A copy or a restored backup may have another mode. */
  async #closeToOthers(): Promise<void> {
    const { mode } = await stat(this.#pairFile);
    if ((mode & 0o077) === 0) return;
    await chmod(this.#pairFile, 0o600);
    this.#log.warn(
      'other users of this machine could read the key of the TLS certificate; its mode is 0600 again',
      {
        file: this.#pairFile,
      },
    );
  }

  async #writeTrustFile(certificate: X509Certificate): Promise<void> {
    const file = trustFileOf(this.#pairFile);
    const text = certificate.toString();
    const before = await readFile(file, 'utf8').catch(() => undefined);
    if (before !== text) await writeDurably(file, text, 0o644);
  }

  /** Logs the facts that the setup of a client needs. */
  #logFacts(certificate: X509Certificate): void {
    this.#log.info('clients may trust the file of the self-signed TLS certificate, or pin its key', {
      file: trustFileOf(this.#pairFile),
      ...fingerprintsOf(certificate),
      until: new Date(certificate.validTo).toISOString().slice(0, 10),
    });
  }
}

/** Undefined if the configuration does not ask for a self-signed certificate. */
export function createSelfSigned(config: Config, log: Logger): SelfSigned | undefined {
  if (!config.tls?.isSelfSigned) return undefined;
  return new SelfSigned({ pairFile: config.tls.certFile, names: async () => certificateNames(config), log });
}
