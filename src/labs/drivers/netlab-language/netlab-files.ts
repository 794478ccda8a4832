/** The files that actions of netlab make for users. */
import type { Action } from '../../model/actions.ts';
import type { CliOptionValues } from '../../model/options.ts';
import type { MadeFiles } from '../lab-driver.ts';

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
