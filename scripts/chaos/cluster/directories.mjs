// A directory belongs to one host until it is cleaned up: that no two hosts had it is to be seen by who ran there.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** @typedef {import('./audit.mjs').Kept} Kept */

/** @param {Kept | undefined} kept */
const startOf = (kept) => kept?.job.startedAt ?? '';

/** Whether a `down --cleanup` gave the directory back on that host after one job, and before the next. @param {{ kept: readonly Kept[], before: Kept | undefined, next: Kept | undefined }} jobs */
function wasGivenBack({ kept, before, next }) {
  return kept.some(
    ({ host, job }) =>
      host === before?.host &&
      job.workdir === before.job.workdir &&
      job.action === 'down' &&
      job.request['cleanup'] === true &&
      job.state === 'success' &&
      startOf({ host, job }) >= startOf(before) &&
      (job.finishedAt ?? '') <= startOf(next),
  );
}

/** @param {readonly string[]} directories that all hosts have @param {readonly Kept[]} kept */
export function auditDirectories(directories, kept) {
  const byId = new Map(kept.map((one) => [one.job.id, one]));
  return directories.flatMap((directory) => {
    const file = path.join(directory, '.ran');
    const ids = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
    const ran = ids.map((line) => byId.get(line.split(' ')[0] ?? ''));
    return ran.flatMap((next, at) => {
      const before = ran[at - 1];
      if (at === 0 || next?.host === before?.host || wasGivenBack({ kept, before, next })) return [];
      return [
        `${directory} was ${before?.host.name}'s (${before?.job.id}, ${before?.job.state}) and then ` +
          `${next?.host.name}'s (${next?.job.id}, started ${startOf(next)})`,
      ];
    });
  });
}
