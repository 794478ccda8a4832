/** The sentence that tells the user why a job failed. */
import type { JobResult } from '../model/job-result.ts';
import type { Ending } from './lab-driver.ts';

/** One text for each node in which the command failed. Some lab CLIs do not report exit codes. */
export function failedCommands(result: JobResult | null): readonly string[] {
  if (result?.kind !== 'outputs') return [];
  const failed = result.nodes.filter(({ exitCode }) => exitCode !== null && exitCode !== 0);
  return failed.map(({ node, exitCode }) => `in ${node} the command ended with exit code ${exitCode}`);
}

const maxSentenceLength = 500;

/** How the lab CLI ended. */
export function headline({ action, cliName, exitCode, signal }: Ending): string {
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

/** At most 500 characters: how the lab CLI ended, and as many causes as fit. */
export function sentenceOf(beginning: string, causes: readonly string[]): string {
  const sentence =
    causes.length === 0
      ? beginning
      : `${beginning}: ${join(causes, maxSentenceLength - beginning.length - 2)}`;
  return sentence.length <= maxSentenceLength ? sentence : `${sentence.slice(0, maxSentenceLength - 1)}…`;
}

/** With more names, the advice behind them would be overlooked. */
const most = 10;

/** Names for a sentence: the first ten, and the number of the others. */
export function fewOf(names: readonly string[]): string {
  const more = names.length - most;
  return `${names.slice(0, most).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
