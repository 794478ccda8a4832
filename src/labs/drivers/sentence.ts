/** The sentence that tells the user why a job failed. It begins with the cause: lists show the first 120 characters of it. */
import path from 'node:path';
import { isInside } from '../../lib/files/path-inside.ts';
import type { JobResult } from '../model/job-result.ts';
import type { Ending } from './lab-driver.ts';

/** One text for each node in which the command failed. Some lab CLIs do not report exit codes. */
export function failedCommands(result: JobResult | null): readonly string[] {
  if (result?.kind !== 'outputs') return [];
  const failed = result.nodes.filter(({ exitCode }) => exitCode !== null && exitCode !== 0);
  return failed.map(({ node, exitCode }) => `in ${node} the command ended with exit code ${exitCode}`);
}

const maxSentenceLength = 500;

/** How the lab CLI ended. The job has the exit code in a field of its own. */
function headline({ action, cliName, exitCode, signal }: Ending): string {
  if (signal !== null) return `${cliName} ${action} was ended by signal ${signal}`;
  if (exitCode === null) return `${cliName} ${action} ended in an unknown way`;
  return `${cliName} ${action} failed with exit code ${exitCode}`;
}

/** As many whole causes as fit, and the number of the others. */
function join([first = '', ...others]: readonly string[], maxLength: number): string {
  let text = first;
  for (const [index, cause] of others.entries()) {
    const rest = others.length - index;
    const longer = `${text}; ${cause}`;
    const andMore = `; and ${rest - 1} more`;
    if (longer.length + (rest > 1 ? andMore.length : 0) > maxLength) return `${text}; and ${rest} more`;
    text = longer;
  }
  return text;
}

/**
 * `/labs/demo/topology.yml:2:10: …` without the directories: a path within the working directory is relative to it, and of any
 * other file, such as a topology that the service keeps beside the job, the name is enough.
 */
function withShortPlace(cause: string, workdir: string): string {
  return cause.replace(/^(\/.*?)(?=:\d+:\d+: )/, (file) =>
    isInside(workdir, file) ? path.relative(workdir, file) : path.basename(file),
  );
}

/** Ids of containers: their first 12 digits are enough for Docker. */
const longId = /\b([0-9a-f]{12})[0-9a-f]{52}\b/g;
/** Words of Docker before the cause: up to 150 characters. */
const dockerPreface =
  /Error response from daemon: |driver failed programming external connectivity on endpoint \S+ \(\w+\): /g;

/**
 * At most 500 characters: as many causes as fit, or how the lab CLI ended if none is known. A signal from outside is a cause
 * itself, and the first one.
 */
export function sentenceOf(ending: Ending, found: readonly string[]): string {
  const causes = found.map((cause) =>
    withShortPlace(cause.replaceAll(dockerPreface, '').replaceAll(longId, '$1'), ending.workdir),
  );
  const isKnown = ending.exitCode !== null && causes.length > 0;
  const sentence = join(isKnown ? causes : [headline(ending), ...causes], maxSentenceLength);
  return sentence.length <= maxSentenceLength ? sentence : `${sentence.slice(0, maxSentenceLength - 1)}…`;
}

/** With more names, the advice behind them would be overlooked. */
const most = 10;

/** Names for a sentence: the first ones, ten unless told otherwise, and the number of the others. */
export function fewOf(names: readonly string[], limit = most): string {
  const more = names.length - limit;
  return `${names.slice(0, limit).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
