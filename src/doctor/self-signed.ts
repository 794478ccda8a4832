import { statSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { messageOf } from '../lib/app-error.ts';
import { certificateNames } from '../tls/certificate-names.ts';
import { fingerprintsOf, readKept, trustFileOf, whyRenew, type Kept } from '../tls/kept-certificate.ts';
import { failed, ok, warning, type Finding } from './finding.ts';

function read(pairFile: string): Kept | Finding {
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
export async function checkSelfSigned(config: Config, pairFile: string, nowMs: number): Promise<Finding> {
  const kept = read(pairFile);
  switch (kept.kind) {
    case 'none':
      return ok(`self-signed: the first start makes ${trustFileOf(pairFile)} for clients`);
    case 'damaged':
      return warning(
        `the self-signed certificate is damaged: ${kept.why}`,
        `bring ${pairFile} back from a backup, or clients have to trust the new one that the next start makes`,
      );
    case 'pair': {
      if ((statSync(pairFile).mode & 0o077) !== 0)
        return warning(`other users of this machine may read the key ${pairFile}`, `chmod 0600 ${pairFile}`);
      const why = whyRenew(kept.certificate, await certificateNames(config), nowMs);
      if (why !== undefined) {
        const detail = `the self-signed certificate is due for renewal: ${why}`;
        return warning(
          detail,
          `restart the service, or look there for why it could not; then ${giveOut(pairFile)}`,
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

const giveOut = (pairFile: string): string =>
  `give ${trustFileOf(pairFile)} to clients that trust the old one`;
