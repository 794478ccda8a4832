/** `lab events`: what happens to the jobs and labs of a lab-api server, as it happens. */
import type { Command } from 'commander';
import { once } from 'node:events';
import type { FeedNews } from '../../client/follow.ts';
import type { FeedType } from '../../client/lab-api-client.ts';
import { endWith, lossTeller } from './ending.ts';
import { jsonText, withOutput } from './jobs.ts';
import { clientFor, withServerOptions } from './server.ts';
import { harmless, paintedState } from './tables.ts';

interface Options {
  readonly output: 'table' | 'json';
  readonly types?: string;
}

type JobNews = Extract<FeedNews, { readonly kind: 'job' }>['data'];

function whatOfJob({ change, job, message }: JobNews): string {
  if (change === 'removed') return 'removed';
  const why = job.error ?? message;
  return `${paintedState(job.state)}${why === undefined ? '' : `: ${harmless(why)}`}`;
}

/** One line for people; undefined for what tells programs alone where they are in the feed. */
function lineOf(news: FeedNews): string | undefined {
  const columns = (at: string | undefined, ...rest: readonly string[]): string =>
    `${[harmless(at ?? 'now'), ...rest].filter((text) => text !== '').join('  ')}\n`;
  switch (news.kind) {
    case 'snapshot':
    case 'ready':
      return undefined;
    case 'reset':
      return `events are missing: ${harmless(news.data.reason)}\n`;
    case 'job': {
      const { at, job } = news.data;
      return columns(at, harmless(job.id), harmless(job.action), whatOfJob(news.data));
    }
    case 'lab': {
      const { at, change, lab, expiresAt, why } = news.data;
      const details = [lab.directory, expiresAt && `expires at ${expiresAt}`, why].map((text) =>
        harmless(text ?? ''),
      );
      return columns(at, `lab ${harmless(lab.instance)}`, harmless(change), ...details);
    }
    case 'service':
      return columns(news.data.at, `lab-api ${harmless(news.data.version)}`, harmless(news.data.change));
  }
}

export function addEventsCommand(program: Command): void {
  const description = 'print the events of jobs and labs of a lab-api server, until Ctrl-C';
  withOutput(withServerOptions(program.command('events').description(description)))
    .option('--types <types>', 'only events of these types, separated by commas: job, lab, service')
    .action(async ({ output, types }: Options, command: Command) =>
      endWith(command, async () => {
        const client = await clientFor(command);
        const { onLost, reset } = lossTeller();
        // Which types there are, the service knows.
        const filter = types === undefined ? {} : { types: types.split(',') as FeedType[] };
        for await (const news of client.followEvents(filter, { onLost })) {
          reset();
          const text = output === 'json' ? jsonText(news) : lineOf(news);
          // A reader that is slow holds us up: events are not piled up in memory.
          if (text !== undefined && !process.stdout.write(text)) await once(process.stdout, 'drain');
        }
      }),
    );
}
