/**
 * The archive of `lab collect --tar`. Users type its name, sometimes a wrong one, as root: so only an archive is ever
 * replaced.
 */
import { constants } from 'node:fs';
import { open, realpath, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { systemCode } from '../../lib/app-error.ts';
import { isInside } from '../../lib/files/path-inside.ts';
import { EngineError } from '../core/engine-error.ts';
import { runProgram } from '../system/run-program.ts';
import { temporaryName } from '../system/temporary-files.ts';
import type { CollectDirectory } from './collect-directory.ts';

/** The path of the archive; `.tar.gz` is added to a name without a dot. */
export function archiveFile(tar: string, labDirectory: string): string {
  return path.resolve(labDirectory, path.basename(tar).includes('.') ? tar : `${tar}.tar.gz`);
}

/**
 * Whether the first bytes are those of gzip (RFC 1952, 2.3.1), or of a tar file: `ustar` in its first header
 * (tar(5)).
 */
async function isArchive(file: string): Promise<boolean> {
  const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await handle.stat()).isFile()) return false;
    const { buffer } = await handle.read({ buffer: Buffer.alloc(262) });
    return (buffer[0] === 0x1f && buffer[1] === 0x8b) || buffer.toString('latin1', 257) === 'ustar';
  } finally {
    await handle.close();
  }
}

/** Called before collecting. @throws EngineError when the archive cannot be written there. */
export async function checkArchive(file: string, output: string): Promise<void> {
  const parent = await realpath(path.dirname(file)).catch(() => path.dirname(file));
  const collected = await realpath(output).catch(() => output);
  if (isInside(collected, parent)) {
    throw new EngineError(`the archive ${file} cannot be in the directory that it contains, ${output}`);
  }
  try {
    if (await isArchive(file)) return;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return;
    throw error;
  }
  throw new EngineError(`${file} already exists and is not an archive; move it, or choose another --tar`);
}

/** Writes the archive whole or not at all. */
export async function writeArchive(collected: CollectDirectory, file: string): Promise<void> {
  // Checked again: a symbolic link in the path may lead into the directory of the files, which exists only now.
  await checkArchive(file, collected.path);
  const temporary = temporaryName(file);
  const name = path.basename(collected.path);
  const members = collected.files.map((member) => path.join(name, member));
  const from = ['-C', path.dirname(collected.path), '--', ...members];
  try {
    const mode = file.endsWith('gz') ? '-czf' : '-cf';
    const { exitCode, stderr } = await runProgram('tar', [mode, temporary, ...from]);
    if (exitCode !== 0) throw new EngineError(`cannot write ${file}`, stderr.trim().split('\n'));
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
