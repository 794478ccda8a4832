import { systemCode } from './app-error.ts';

/** The machine is short of descriptors, memory, processes or disk just now, or the disk fails. */
const passingCodes = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO', 'ENOSPC', 'EDQUOT', 'EROFS']);

/** Whether an error says nothing of what was asked for: the same may work a little later. */
export function isTransient(error: unknown): boolean {
  return passingCodes.has(systemCode(error) ?? '');
}
