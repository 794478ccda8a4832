import type { Job } from '../../../../../../src/client/api-types.ts';
import classes from './log.module.css';

function sentence({ state, reason, exitCode, signal }: Job): string {
  switch (reason) {
    case 'log-limit':
      return 'The log was cut here: it grew over its limit, and the job was ended. What it printed afterwards was not kept.';
    case 'canceled':
      return 'The job was canceled here.';
    case 'timeout':
      return 'The job was ended here: it took longer than its limit.';
    case 'interrupted':
      return 'The log breaks off here: the service or the machine went down, and nobody saw how the job ended.';
    case 'spawn-error':
      return 'The lab CLI could not be started.';
    case 'signaled':
      return `The lab CLI was ended by ${signal ?? 'a signal'}.`;
    case 'exited':
      return `End of the log: ${state}${exitCode === null ? '' : `, exit code ${exitCode}`}.`;
    case null:
      return state === 'canceled' ? 'The job was canceled before it started.' : 'End of the log.';
  }
}

/** How the log ended, below its last line. */
export function LogEnd({ job }: { readonly job: Job }) {
  return <div className={classes['end']}>{sentence(job)}</div>;
}
