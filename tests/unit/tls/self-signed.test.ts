import { describe, expect, test } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { certificateIn, dayMs, plantPair } from '../../support/self-signed.ts';
import { MemoryLogger } from '../../support/memory-logger.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { fingerprintsOf, trustFileOf } from '../../../src/tls/kept-certificate.ts';
import { SelfSigned } from '../../../src/tls/self-signed.ts';

const startMs = Date.parse('2026-12-01T00:00:00Z');
const root = temporaryDirectory();
let count = 0;

/** A machine with a clock and names that a test changes. */
function machine(dataDir = path.join(root, `data-${(count += 1)}`)) {
  const now = { ms: startMs, dns: ['localhost', 'lab-1'], ips: ['127.0.0.1', '::1', '10.0.0.5'] };
  const log = new MemoryLogger();
  const file = path.join(dataDir, 'tls', 'self-signed.pem');
  const names = async () => Promise.resolve({ dns: now.dns, ips: now.ips });
  const kept = new SelfSigned({ pairFile: file, names, log, nowMs: () => now.ms });
  return { now, log, dataDir, file, kept, pin: () => fingerprintsOf(certificateIn(file)).pin };
}

describe('the first start', () => {
  test('makes a key that nobody else reads, and a certificate for all names', async () => {
    const { kept, file } = machine();
    await kept.open();
    await kept.close();
    const certificate = certificateIn(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o700);
    for (const name of ['localhost', 'lab-1']) expect(certificate.checkHost(name)).toBe(name);
    for (const address of ['127.0.0.1', '::1', '10.0.0.5'])
      expect(certificate.checkIP(address)).toBe(address);
    expect(certificate.checkHost('lab-2')).toBeUndefined();
    expect(certificate.ca).toBe(false);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.publicKey.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' });
    expect(readFileSync(trustFileOf(file), 'utf8')).toBe(certificate.toString());
    // No browser takes more than 825 days of a certificate that its user has come to trust.
    const days = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / dayMs;
    expect(days).toBe(820);
  });

  test('says in its log by what clients know it', async () => {
    const { kept, file, log, pin } = machine();
    await kept.open();
    await kept.close();
    expect(log.entries.at(-1)).toMatchObject({
      level: 'info',
      fields: {
        file: trustFileOf(file),
        sha256: certificateIn(file).fingerprint256,
        pin: pin(),
        until: '2029-02-27',
      },
    });
    expect(JSON.stringify(log.entries)).not.toContain('PRIVATE KEY');
  });

  test('a directory that cannot be made stops it, with one sentence', async () => {
    const { kept, dataDir } = machine();
    writeFileSync(dataDir, 'a file in the way');
    await expect(kept.open()).rejects.toThrow(
      /^the self-signed certificate cannot be kept in \S+\/tls: E\w+/,
    );
  });
});

describe('a later start', () => {
  test('takes what is there', async () => {
    const { kept, file, dataDir, now } = machine();
    const planted = await plantPair(dataDir, now, startMs - 700 * dayMs);
    await kept.open();
    await kept.close();
    expect(certificateIn(file).fingerprint256).toBe(planted.certificate.fingerprint256);
  });

  test.each([
    ['it ends within 60 days', -760, {}, /^its last day is 2027-01-/],
    ['it has ended', -900, {}, /^its last day is 2026-/],
    ['it is not valid yet, as after a wrong clock', 30, {}, /^it is valid from 2026-12-30 on$/],
    ['the machine has another name', 0, { dns: ['localhost', 'lab-2'] }, /^it does not name lab-2$/],
    ['the machine has another address', 0, { ips: ['127.0.0.1', 'fd00::7'] }, /^it does not name fd00::7$/],
  ])('renews it when %s, and keeps the key', async (_when, madeDays, changed, because) => {
    const { kept, file, dataDir, now, log, pin } = machine();
    const planted = await plantPair(dataDir, now, startMs + madeDays * dayMs);
    Object.assign(now, changed);
    await kept.open();
    await kept.close();
    const renewed = certificateIn(file);
    expect(renewed.serialNumber).not.toBe(planted.certificate.serialNumber);
    expect(pin()).toBe(fingerprintsOf(planted.certificate).pin);
    expect(readFileSync(trustFileOf(file), 'utf8')).toBe(renewed.toString());
    expect(log.entries[0]).toMatchObject({ fields: { because: expect.stringMatching(because) } });
  });

  test('keeps it when the machine lost an address: labs come and go', async () => {
    const { kept, file, dataDir, now } = machine();
    const planted = await plantPair(dataDir, { ...now, ips: [...now.ips, '172.17.0.1'] }, startMs);
    await kept.open();
    await kept.close();
    expect(certificateIn(file).serialNumber).toBe(planted.certificate.serialNumber);
  });

  test('an address that went and comes back costs no third certificate; a name that was taken back is gone', async () => {
    const { kept, file, dataDir, now } = machine();
    const before = { dns: ['localhost', 'old.example'], ips: [...now.ips, '172.17.0.1', 'fd00:0:0::9'] };
    await plantPair(dataDir, before, startMs);
    now.ips.push('192.0.2.7');
    await kept.open();
    const renewed = certificateIn(file);
    for (const address of ['192.0.2.7', '172.17.0.1', 'fd00::9'])
      expect(renewed.checkIP(address)).toBe(address);
    expect(renewed.checkHost('old.example')).toBeUndefined();
    now.ips.push('172.17.0.1', 'fd00::9');
    await kept.check();
    await kept.close();
    expect(certificateIn(file).serialNumber).toBe(renewed.serialNumber);
  });

  test('of a hundred addresses that came and went, the last 64 are enough; all that are there are named', async () => {
    const { kept, file, dataDir, now } = machine();
    const some = (net: number, many: number) =>
      Array.from({ length: many }, (_, host) => `10.${net}.0.${host}`);
    await plantPair(dataDir, { dns: now.dns, ips: some(1, 100) }, startMs);
    await kept.open();
    expect(certificateIn(file).subjectAltName?.match(/IP Address/g)).toHaveLength(64);
    now.ips = some(2, 80);
    await kept.check();
    await kept.close();
    expect(certificateIn(file).subjectAltName?.match(/IP Address/g)).toHaveLength(80);
  });

  test.each([
    ['empty', () => ''],
    ['cut short', (pair: string) => pair.slice(0, -200)],
    ['a key alone', (pair: string) => pair.slice(0, pair.indexOf('-----BEGIN CERT'))],
  ])('makes another pair when the file is damaged: %s', async (_how, damage) => {
    const { kept, file, dataDir, now, log } = machine();
    await plantPair(dataDir, now, startMs);
    writeFileSync(file, damage(readFileSync(file, 'utf8')));
    await kept.open();
    await kept.close();
    expect(certificateIn(file).checkHost('lab-1')).toBe('lab-1');
    expect(log.entries[0]).toMatchObject({ level: 'warn', fields: { file } });
  });

  test('what a crash left of a half-written file is taken away', async () => {
    const { kept, file } = machine();
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(`${file}.tmp`, '-----BEGIN PRIVATE KEY-----');
    await kept.open();
    await kept.close();
    expect(readdirSync(path.dirname(file)).toSorted()).toEqual(['certificate.pem', 'self-signed.pem']);
  });

  test('a file that cannot be read stops it: another key would cost all clients their trust', async () => {
    const { kept, file } = machine();
    mkdirSync(file, { recursive: true });
    await expect(kept.open()).rejects.toThrow(/EISDIR/);
  });

  test('a key that others could read is closed to them, and that is said', async () => {
    const { kept, file, dataDir, now, log } = machine();
    await plantPair(dataDir, now, startMs);
    chmodSync(file, 0o644);
    await kept.open();
    await kept.close();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(log.entries.map(({ level }) => level)).toContain('warn');
  });
});

describe('while it runs', () => {
  test('nothing happens before it is time', async () => {
    const { kept, file, now, log } = machine();
    await kept.open();
    const before = certificateIn(file).serialNumber;
    const told = log.entries.length;
    now.ms += 750 * dayMs;
    await kept.check();
    expect(certificateIn(file).serialNumber).toBe(before);
    expect(log.entries).toHaveLength(told);
    now.ms += 20 * dayMs;
    await kept.check();
    await kept.close();
    expect(certificateIn(file).serialNumber).not.toBe(before);
    expect(Date.parse(certificateIn(file).validTo)).toBeGreaterThan(now.ms + 800 * dayMs);
    expect(log.entries.at(-1)).toMatchObject({ fields: { sha256: certificateIn(file).fingerprint256 } });
  });

  test('a pair that was removed is made again', async () => {
    const { kept, file } = machine();
    await kept.open();
    rmSync(file);
    await kept.check();
    await kept.close();
    expect(existsSync(file)).toBe(true);
  });

  test('a disk that refuses is reported, and the next look mends it', async () => {
    const { kept, file, now, log } = machine();
    await kept.open();
    const before = certificateIn(file).serialNumber;
    now.ms += 800 * dayMs;
    // Nobody can put a file there now, root neither.
    const [directory, aside] = [path.dirname(file), `${path.dirname(file)}-aside`];
    renameSync(directory, aside);
    writeFileSync(directory, '');
    await kept.check();
    expect(log.entries.at(-1)).toMatchObject({ level: 'error' });
    rmSync(directory);
    renameSync(aside, directory);
    await kept.check();
    await kept.close();
    expect(certificateIn(file).serialNumber).not.toBe(before);
  });
});
