/**
 * Why a command of containerlab failed, for people. Its log has lines with a level (`18:57:25 ERRO …`); the last error stands
 * below a headline of its own, `ERROR`, broken into lines (containerlab 0.79, charm.land/fang).
 */
import { stripVTControlCharacters } from 'node:util';
import { specOf, type Action } from '../../model/actions.ts';
import type { Ending } from '../lab-driver.ts';
import { failedCommands, sentenceOf } from '../sentence.ts';
import { notExecuted } from './exec-outcome.ts';

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** The lines after the last `ERROR`. A word that was wrapped at a hyphen is joined without a blank. */
export function lastError(log: string): string | undefined {
  const block = log.split(/^ +ERROR *$/m).at(-1);
  if (block === undefined || block === log) return undefined;
  const lines = block.split('\n').map((line) => line.trim());
  const from = lines.findIndex((line) => line !== '');
  if (from < 0) return undefined;
  const to = lines.indexOf('', from);
  return oneLine(
    lines
      .slice(from, to < 0 ? undefined : to)
      .join('\n')
      .replaceAll(/-\n/g, '-'),
  ).replace(/\.$/, '');
}

/** The values of a line of its log: `err="dial tcp: no such host"`. */
const valueOf = (line: string, name: string): string | undefined => {
  const [, quoted, bare] = new RegExp(`\\b${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|(\\S+))`).exec(line) ?? [];
  return quoted === undefined ? bare : quoted.replaceAll('\\"', '"');
};

/** Of a file with a fault in every line; what to do about it must be read, too. */
const maxFaults = 300;

/**
 * containerlab reads the topology of a lab each time, also to stop it. A user who starts a lab has just named the file, and a
 * missing file cannot be corrected.
 */
function unreadable(error: string, action: Action): string {
  const what = error.replace(/ Consult with release notes.*$/, '');
  if (specOf(action).needsTopology || what.endsWith('no such file or directory')) return what;
  const short = what.length > maxFaults ? `${what.slice(0, maxFaults)}…` : what;
  // A template is no file with a fault: what was sent with its `up` is not known any more.
  return /\btemplate: /.test(what)
    ? `${short}: put the variables of the template beside it, as NAME.clab_vars.yml beside NAME.clab.yml`
    : `${short}: mend the topology file of the lab`;
}

/** By a mark in what containerlab says, what a person would say and do. */
const remedies: readonly (readonly [RegExp, (log: string, error: string, action: Action) => string])[] = [
  [
    /Failed to pull image/,
    (log, error) => {
      const line = log.split('\n').find((one) => one.includes('Failed to pull image')) ?? '';
      const image = valueOf(line, 'image');
      return `the image ${image ?? ''} is not on this server, and could not be pulled: ${valueOf(line, 'err') ?? error}`;
    },
  ],
  [
    /requires root privileges/,
    () =>
      'containerlab needs root rights: run the service as root, or containerlab as SUID (docs/containerlab.md)',
  ],
  [
    /Cannot connect to the Docker daemon/,
    (_log, error) =>
      `containerlab needs Docker: ${error.replace(/^Failed to init the container runtime: /, '')}`,
  ],
  [/kind "([^"]*)" is not supported/, (_log, error) => error.replace(/ Supported kinds are .*$/, '')],
  // Of one node, more is known: it is in what was read of the log.
  [
    /Filter did not match any containers/,
    () => 'the lab has no node, and nothing was executed: "up" starts it',
  ],
  [/Failed to read topology file/, (_log, error, action) => unreadable(error, action)],
];

/** Lines of the level `ERRO` that no other says again; without what was given up because of another, if there is one. */
function errorLines(log: string): readonly string[] {
  const texts = log
    .split('\n')
    .flatMap((line) => /^\d\d:\d\d:\d\d (?:ERRO|FATA) (.*)$/.exec(line)?.[1] ?? []);
  const lines = [...new Set(texts.map(oneLine))];
  const causes = lines.filter((line) => !line.endsWith('context canceled'));
  return causes.length > 0 ? causes : lines;
}

function causesIn({ action, logTail, result = null }: Ending): readonly string[] {
  const failed = [...failedCommands(result), ...notExecuted(result)];
  if (failed.length > 0) return failed;
  const log = stripVTControlCharacters(logTail);
  const error = lastError(log);
  const [, say] = remedies.find(([mark]) => mark.test(error === undefined ? log : `${error}\n${log}`)) ?? [];
  if (say !== undefined && error !== undefined) return [oneLine(say(log, error, action))];
  // Its last word is the short one of many nodes; those that failed have said more.
  if (error !== undefined && !/for one or more nodes/.test(error)) return [error];
  const lines = errorLines(log);
  return lines.length > 0 ? lines : error === undefined ? [] : [error];
}

/** One sentence (at most 500 characters) that tells a person why a job failed: the cause, or how containerlab ended. */
export function errorSentence(ending: Ending): string {
  return sentenceOf(ending, causesIn(ending));
}
