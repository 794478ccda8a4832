/** The key by which clients know the gateway: made once, and kept in the data directory. */
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { readPlainFile } from '../lib/files/plain-file.ts';
import { writeDurably } from '../lib/files/write-durably.ts';
import { fingerprintOf, stringsIn } from '../lib/net/ssh-key.ts';
import { loadSsh2 } from './load-ssh2.ts';
import type { SshHostKey } from './ssh-service.ts';

export interface HostKey extends SshHostKey {
  /** In the format of OpenSSH. */
  readonly privateKey: string;
}

const type = 'ssh-ed25519';
const magic = 'openssh-key-v1\0';

/** The public key stands unencrypted in the file (PROTOCOL.key of OpenSSH): four fields behind the magic word and a number. */
function publicPartOf(privateKey: string): Buffer | undefined {
  const base64 = privateKey.replaceAll(/-----[^\n]*-----|\s/g, '');
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.subarray(0, magic.length).toString('latin1') !== magic) return undefined;
  // cipher, kdf, options of the kdf: of a key without a passphrase, "none", "none" and nothing.
  const at = magic.length + 8 + 8 + 4;
  if (bytes.length < at + 8) return undefined;
  const length = bytes.readUInt32BE(at + 4);
  const key = bytes.subarray(at + 8, at + 8 + length);
  return stringsIn(key)?.[0]?.toString('latin1') === type ? key : undefined;
}

function hostKeyOf(privateKey: string): HostKey | undefined {
  const key = publicPartOf(privateKey);
  if (key === undefined) return undefined;
  return { privateKey, publicLine: `${type} ${key.toString('base64')}`, fingerprint: fingerprintOf(key) };
}

/** @throws Error with a sentence when the key that is there cannot be read or used: a new one would alarm each client. */
export async function openHostKey(dataDir: string): Promise<HostKey> {
  const file = path.join(dataDir, 'ssh', 'host_ed25519');
  const reading = await readPlainFile(file);
  if (reading.kind === 'found') {
    const kept = hostKeyOf(reading.text);
    if (kept) return kept;
    throw new Error(
      `${file} is no ed25519 key of OpenSSH without a passphrase: restore it, or remove it for a new one, which alarms all clients`,
    );
  }
  if (reading.kind !== 'absent') throw reading.error;
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const { utils } = await loadSsh2();
  const made = hostKeyOf(utils.generateKeyPairSync('ed25519').private);
  if (made === undefined) throw new Error('the new host key of SSH cannot be read');
  await writeDurably(file, made.privateKey, 0o600);
  return made;
}
