/** Options that name a file or a directory which has to be there: found, allowed, and made absolute. */
import type { Stats } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { invalidField } from '../../lib/app-error.ts';
import { expandHome } from '../../lib/files/home.ts';
import { realPlaceOf } from '../../lib/files/real-path.ts';
import type { AllowedRoots } from '../system/allowed-roots.ts';
import { cliOptions, optionNames } from '../model/option-kinds.ts';
import type { CliOptionValues } from '../model/options.ts';

interface Place {
  readonly workdir: string;
  readonly roots: AllowedRoots;
}

/** Which options name something that must be there, and what it may be. */
const pathKinds = {
  directory: { what: 'directory', fits: (found: Stats) => found.isDirectory() },
  file: { what: 'file', fits: (found: Stats) => found.isFile() },
  template: { what: 'file or directory', fits: (found: Stats) => found.isDirectory() || found.isFile() },
} as const;

type PathKind = keyof typeof pathKinds;

const isPathKind = (kind: string): kind is PathKind => Object.hasOwn(pathKinds, kind);

/** Absolute, because lab CLIs look a relative path up somewhere else than the shell would (netlab does). */
async function existing(
  kind: PathKind,
  field: string,
  given: string,
  { workdir, roots }: Place,
): Promise<string> {
  const place = path.resolve(workdir, expandHome(given));
  const real = await realpath(place).catch(() => undefined);
  roots.check(real ?? place, field);
  const found = real === undefined ? undefined : await stat(real).catch(() => undefined);
  const { what, fits } = pathKinds[kind];
  if (found === undefined || !fits(found)) throw invalidField(field, `there is no ${what} ${place}`);
  return place;
}

/** A template that is named, not given by its path, may be a link in the working directory, with or without its suffix. */
async function checkNamed(field: string, name: string, { workdir, roots }: Place): Promise<void> {
  for (const file of [name, `${name}.j2`]) {
    const real = await realpath(path.join(workdir, file)).catch(() => undefined);
    if (real !== undefined) roots.check(real, field);
  }
}

/**
 * The options with those that name a file or a directory checked, and made absolute.
 * @throws AppError `invalid-request` when there is none, `forbidden-path`.
 */
export async function withPaths(options: CliOptionValues, place: Place): Promise<CliOptionValues> {
  const paths: Record<string, string> = {};
  for (const name of optionNames) {
    const [{ kind }, given] = [cliOptions[name], options[name]];
    if (kind === 'file-below-workdir' && typeof given === 'string')
      place.roots.checkDirectory(realPlaceOf(path.resolve(place.workdir, given)), name);
    if (!isPathKind(kind) || typeof given !== 'string') continue;
    if (kind === 'template' && !given.includes('/')) await checkNamed(name, given, place);
    else paths[name] = await existing(kind, name, given, place);
  }
  return { ...options, ...paths };
}
