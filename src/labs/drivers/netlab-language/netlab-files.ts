/** The files of netlab: its list of labs, and the files that its actions make for users. */
import { parse } from 'yaml';
import { systemCode } from '../../../lib/app-error.ts';
import { readPlainTextSync } from '../../../lib/files/plain-file.ts';
import { isMapping } from '../../../lib/mapping.ts';
import type { Action } from '../../model/actions.ts';
import type { CliOptionValues } from '../../model/options.ts';
import type { MadeFiles } from '../lab-driver.ts';
import type { LabEntry } from '../status-driver.ts';

/**
 * The entries of a list of labs such as netsim/utils/status.py writes: by id, a mapping that has a `dir`. JSON is YAML
 * too. Where there is no file, no lab was ever started.
 * @throws Error when it cannot be read.
 */
export function recordedLabs(stateFile: string): ReadonlyMap<string, LabEntry> {
  let text: string;
  try {
    text = readPlainTextSync(stateFile);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return new Map();
    throw error;
  }
  const document: unknown = parse(text, { logLevel: 'error' });
  if (document === null) return new Map();
  if (!isMapping(document)) throw new Error(`${stateFile} is no list of labs`);
  return new Map(
    Object.entries(document).flatMap(([id, entry]) =>
      isMapping(entry) && typeof entry['dir'] === 'string' ? [[id, entry] as const] : [],
    ),
  );
}

/** The default of `netlab collect --output` (netsim/cli/collect.py). */
const collectDirectory = 'config';

/** The files of `create --output format:option=file,file`; `-` is standard output (netsim/outputs/__init__.py). */
function createdFiles(output: string): readonly MadeFiles[] {
  const files = output
    .split('=')
    .slice(1)
    .flatMap((part) => part.split(','));
  return files.filter((file) => file !== '' && file !== '-').map((file) => ({ kind: 'file', path: file }));
}

/** netlab appends `.tar.gz` to a name that has no `.tar` (netsim/cli/collect.py); the engine, to one without a dot. */
function archiveFiles(tar: string): readonly MadeFiles[] {
  return [tar, `${tar}.tar.gz`].map((file) => ({ kind: 'file', path: file }));
}

/** The files that actions make, by action; all other actions make none. */
const makers: Readonly<Partial<Record<Action, (options: CliOptionValues) => readonly MadeFiles[]>>> = {
  create: ({ output = [] }) => output.flatMap(createdFiles),
  collect: ({ collectOutput = collectDirectory, collectTar }) => [
    { kind: 'directory', path: collectOutput },
    ...(collectTar === undefined ? [] : archiveFiles(collectTar)),
  ],
};

export function madeBy(action: Action, options: CliOptionValues): readonly MadeFiles[] {
  return makers[action]?.(options) ?? [];
}
