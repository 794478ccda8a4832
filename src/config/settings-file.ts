/**
 * The file of variables that `LAB_API_SETTINGS_FILE` names. Its variables beat those of the environment: that one is as it was when
 * the service started, and a reload is to change them.
 */
import { constants, statSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { messageOf } from '../lib/app-error.ts';
import { readRegularFile } from '../lib/files/read-regular-file.ts';
import type { Environment } from './config.ts';
import { settings } from './settings.ts';

const { variable } = settings.settingsFile;
const writableByOthers = constants.S_IWGRP | constants.S_IWOTH;

/** A variable with its value, which may have several lines in quotes, as Node reads it. */
const assignment = /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*=[ \t]*(?:"[^"]*"|'[^']*'|`[^`]*`|)[^\n]*/gm;

/** No program takes a variable with NUL, and Node drops a carriage return that ends no line. */
const unusable = /\0|\r(?!\n)/;

/** The number of the first line that is neither of a variable nor a comment: Node leaves it out without a word. */
function strangeLine(text: string): number | undefined {
  const rest = text.replaceAll(assignment, (given) => given.replaceAll(/[^\n]/g, ''));
  const index = rest.split('\n').findIndex((line) => !/^\s*(?:#|$)/.test(line));
  return index === -1 ? undefined : index + 1;
}

/** The variables that have several lines: the last one counts. */
function repeatedIn(text: string): readonly string[] {
  const names = [...text.matchAll(assignment)].map(([, name = '']) => name);
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}

/** @throws Error that says what is wrong with the file, without its name. */
function variablesIn(file: string): { readonly own: Environment; readonly repeated: readonly string[] } {
  const bytes = readRegularFile(file);
  // As of the users file: these variables name programs and directories, and the service may be root.
  if ((statSync(file).mode & writableByOthers) !== 0)
    throw new Error('it may be written by others: run "chmod go-w" on it');
  // It leaves out a byte order mark, which Node would take for a part of the first name.
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  if (unusable.test(text)) throw new Error('it has NUL bytes, or carriage returns within lines');
  const line = strangeLine(text);
  if (line !== undefined) throw new Error(`line ${line} is neither NAME=value nor a comment`);
  return { own: parseEnv(text), repeated: repeatedIn(text) };
}

export interface GivenVariables {
  /** The variables of the file and of the environment. */
  readonly env: Environment;
  /** The variables of the file; empty without a file. */
  readonly ofFile: Environment;
  /** The sentence that tells why the file cannot be used. */
  readonly problem?: string;
  /** Sentences about lines of the file that have no effect. */
  readonly warnings: readonly string[];
}

/** Reads the settings file, if the environment names one. */
export function withSettingsFile(env: Environment): GivenVariables {
  const file = settings.settingsFile.value.parse(env[variable] || undefined);
  if (file === undefined) return { env, ofFile: {}, warnings: [] };
  try {
    const { own, repeated } = variablesIn(file);
    const warnings = repeated.map((name) => `${name} is in ${file} more than once: the last line counts`);
    // A file that systemd has read too may name itself.
    const another = settings.settingsFile.value.parse(own[variable] || undefined);
    if (another !== undefined && another !== file)
      warnings.push(`${variable} in ${file} has no effect: one settings file does not name another`);
    const ofFile = { ...own, [variable]: file };
    return { env: { ...env, ...ofFile }, ofFile, warnings };
  } catch (error) {
    return {
      env,
      ofFile: {},
      warnings: [],
      problem: `${variable}: ${file} cannot be used: ${messageOf(error)}`,
    };
  }
}
