/** Why a command of netlab failed, for people. What its causes look like is in errors/error-rules.ts. */
import type { Ending } from '../lab-driver.ts';
import { errorRules } from './errors/error-rules.ts';
import { failureLog } from './errors/failure-log.ts';

const maxSentenceLength = 500;

function headline({ action, cliName, exitCode, signal }: Ending): string {
  if (signal !== null) return `${cliName} ${action} was ended by signal ${signal}`;
  if (exitCode === null) return `${cliName} ${action} ended in an unknown way`;
  return `${cliName} ${action} failed with exit code ${exitCode}`;
}

function causesIn({ action, logTail }: Ending): readonly string[] {
  const log = failureLog(action, logTail);
  for (const { say } of errorRules) {
    const causes = say(log);
    if (causes.length > 0) return causes.map((cause) => cause.replaceAll(/\s+/g, ' ').trim());
  }
  return [];
}

/** As many whole causes as there is room for; how many more there are is said. */
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

/** One sentence (at most 500 characters) that tells a person why a job failed: how the lab CLI ended, and the cause. */
export function errorSentence(ending: Ending): string {
  const causes = causesIn(ending);
  const beginning = headline(ending);
  const sentence =
    causes.length === 0
      ? beginning
      : `${beginning}: ${join(causes, maxSentenceLength - beginning.length - 2)}`;
  return sentence.length <= maxSentenceLength ? sentence : `${sentence.slice(0, maxSentenceLength - 1)}…`;
}
