import { accessSync, constants, statSync, type Stats } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { unknownFormat } from '../jobs/store/data-dir-format.ts';
import { DataDirUnsafe, inspectDataDir, livingOwner, outerDataDir } from '../jobs/store/data-dir-owner.ts';
import { messageOf } from '../lib/app-error.ts';
import { freeDiskBytes } from '../lib/files/free-disk.ts';
import { formatSize } from '../lib/text/size.ts';
import { failed, ok, warning, type Finding, type Subject } from './finding.ts';

/** Undefined for what is not there, and for what lies where we may not look or below a file. */
function statOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** The directory, or the nearest above it that exists: what does not exist yet will be made there. */
function nearest(directory: string): string {
  return statOf(directory) === undefined && path.dirname(directory) !== directory
    ? nearest(path.dirname(directory))
    : directory;
}

function checkOwner(dataDir: string, directory: Stats): Finding | undefined {
  // Root may write all files.
  if (process.getuid?.() === 0 && directory.uid !== 0) return undefined;
  // After one start by hand as another user (`sudo lab api`), the service itself may not write these any more.
  const foreign = ['jobs', 'owner.json', 'format.json']
    .map((name) => path.join(dataDir, name))
    .filter((file) => (statOf(file)?.uid ?? directory.uid) !== directory.uid);
  if (foreign.length === 0) return undefined;
  return failed(
    `${dataDir} belongs to user ${directory.uid}, but not ${foreign.join(' and ')}`,
    `chown -R ${directory.uid}:${directory.gid} ${dataDir}`,
  );
}

/** The errors and warnings of the service itself. */
async function checkSafety(dataDir: string): Promise<Finding | undefined> {
  try {
    const [detail = '', remedy = ''] = (await inspectDataDir(dataDir))?.split(': ') ?? [];
    return detail === '' ? undefined : warning(detail, remedy);
  } catch (error) {
    if (!(error instanceof DataDirUnsafe)) throw error;
    const [detail = '', remedy = ''] = error.message.split('; ');
    return failed(detail, remedy);
  }
}

/** A container may run with a user id that has no name. */
function userName(): string {
  try {
    return os.userInfo().username;
  } catch {
    return String(process.getuid?.() ?? 'this user');
  }
}

const elsewhere = 'choose another LAB_API_DATA_DIR (--data-dir)';

/** Owner, mode and lock of the data directory. Looks only: what a service does there is not disturbed. */
export async function checkDataDir({ config: { dataDir, jobUser } }: Subject): Promise<Finding> {
  const existing = nearest(dataDir);
  const directory = statOf(existing);
  const user = userName();
  if (directory === undefined || !directory.isDirectory()) {
    return failed(`${existing} is not a directory`, elsewhere);
  }
  try {
    accessSync(existing, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const detail = `${existing} cannot be written by ${user}: ${messageOf(error)}`;
    return failed(detail, `give it to that user (chown ${user} ${existing}), or choose another --data-dir`);
  }
  const outer = await outerDataDir(dataDir);
  if (outer !== undefined)
    return failed(`${dataDir} lies in the data directory of another service, ${outer}`, elsewhere);
  if (existing !== dataDir) return ok(`${dataDir} will be created with mode 0700`);
  const safety = await checkSafety(dataDir);
  const foreign = checkOwner(dataDir, directory);
  const unknown = await unknownFormat(dataDir);
  const format = unknown && failed(unknown.detail, unknown.remedy);
  const worst = safety?.kind === 'failed' ? safety : (foreign ?? format ?? safety);
  if (worst) return worst;
  const mode = directory.mode & 0o777;
  // The user of the jobs may pass through it but not list it.
  if ((mode & 0o077) !== 0 && !(jobUser !== undefined && mode === 0o710)) {
    const shown = mode.toString(8).padStart(4, '0');
    return warning(`${dataDir} has mode ${shown}: other users have access to it`, `chmod 0700 ${dataDir}`);
  }
  const owner = await livingOwner(dataDir);
  const lock =
    owner === undefined ? 'no service uses it' : `in use by the service with process id ${owner.pid}`;
  return ok(`${dataDir}, user ${directory.uid}, ${lock}`);
}

export async function checkDisk({ config: { dataDir, live } }: Subject): Promise<Finding> {
  const directory = nearest(dataDir);
  const free = await freeDiskBytes(directory);
  if (free === undefined) return warning('the free disk space is unknown', `run df ${directory}`);
  const detail = `${formatSize(free)} free at ${directory}, the minimum is ${formatSize(live.minFreeDiskBytes)}`;
  if (free >= live.minFreeDiskBytes) return ok(detail);
  return failed(
    detail,
    'free disk space, keep fewer jobs (LAB_API_KEEP_JOBS), or lower LAB_API_MIN_FREE_DISK',
  );
}
