import type { Config } from '../config/config.ts';
import type { Logger } from '../lib/logger.ts';
import { certificateNames } from './certificate-names.ts';
import { SelfSigned } from './self-signed.ts';

/** What keeps the certificate of this configuration; undefined when it wants none made. */
export function createSelfSigned(config: Config, log: Logger): SelfSigned | undefined {
  if (!config.tls?.isSelfSigned) return undefined;
  return new SelfSigned({ pairFile: config.tls.certFile, names: async () => certificateNames(config), log });
}
