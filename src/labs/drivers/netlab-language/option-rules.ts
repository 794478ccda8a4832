/** The values that options of netlab must not have, because netlab would interpret them. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { invalidField } from '../../../lib/app-error.ts';
import { checkBelowWorkdir } from '../contained-path.ts';
import type { CliOptionValues } from '../../model/options.ts';

/** Where `collect` may put what it collects: a directory below `workdir` that exists or can be made. netlab empties it first. */
async function checkCollectOutput(workdir: string, value: string): Promise<void> {
  checkAnsibleValue(value, 'collectOutput');
  await checkBelowWorkdir(workdir, value, 'collectOutput');
  const found = await stat(path.resolve(workdir, value)).catch(() => undefined);
  if (found !== undefined && !found.isDirectory()) {
    throw invalidField('collectOutput', 'must be a directory: netlab would delete the file of that name');
  }
}

/** A tar file below `workdir`. */
async function checkCollectTar(workdir: string, value: string): Promise<void> {
  await checkBelowWorkdir(workdir, value, 'collectTar');
  // netlab appends this when the name does not say `.tar` (netsim/cli/collect.py, get_tarball_file).
  if (!value.includes('.tar')) await checkBelowWorkdir(workdir, `${value}.tar.gz`, 'collectTar');
}

/**
 * netlab hands these values to Ansible as `-e target=VALUE`, where a blank starts another variable and `{{` a Jinja
 * expression, which can run programs.
 */
function checkAnsibleValue(value: string, field: string): void {
  if (/^[\p{L}\p{N}_./@+,:~-]+$/u.test(value)) return;
  throw invalidField(field, 'may hold only letters, digits and the characters _ . / @ + , : ~ -');
}

/** The selection of nodes in netlab: names, groups and patterns (netsim/cli/_nodeset.py). Ansible, which gets it too, would read `@file`. */
function checkNodes(value: string, field: string): void {
  if (/^[\w.*?[\]-]+(?:,[\w.*?[\]-]+)*$/.test(value)) return;
  throw invalidField(
    field,
    'may hold only names and groups of nodes, the signs * ? [ ] of patterns, and commas',
  );
}

/** `format:option=file,file` of `create --output`: no file may lie outside `workdir`; `-` is standard output. */
async function checkCreateOutputs(workdir: string, outputs: readonly string[]): Promise<void> {
  for (const output of outputs) {
    const files = output
      .split('=')
      .slice(1)
      .flatMap((part) => part.split(','));
    for (const file of files) {
      if (file !== '' && file !== '-') await checkBelowWorkdir(workdir, file, 'output');
    }
  }
}

/** @throws AppError `invalid-request` about the first value that netlab must not be given. `workdir` is a real path. */
export async function checkOptions(options: CliOptionValues, workdir: string): Promise<void> {
  if (options.collectOutput !== undefined) await checkCollectOutput(workdir, options.collectOutput);
  if (options.collectTar !== undefined) await checkCollectTar(workdir, options.collectTar);
  if (options.collectSuffix !== undefined) checkAnsibleValue(options.collectSuffix, 'collectSuffix');
  if (options.output !== undefined) await checkCreateOutputs(workdir, options.output);
  if (options.limit !== undefined) checkNodes(options.limit, 'limit');
  for (const node of options.nodes ?? []) checkNodes(node, 'nodes');
  // Of a path, Ansible gets the last part only.
  if (options.template !== undefined) checkAnsibleValue(path.basename(options.template), 'template');
}
