import path from 'node:path';
import { median, progress, root, timed } from '../kit.mjs';
import { makeWorkdir, milliseconds, note, ratio, runDirectly, runJob, startReady } from './measure.mjs';

/** `create` of a topology through the API against the same command line. @param {import('./measure.mjs').Amounts} amounts */
export async function benchCreate({ runs: runCount }) {
  const service = await startReady(path.join(root, 'create'));
  const job = await runJob(service.url, { action: 'create', workdir: makeWorkdir() });
  const cli = path.basename(job.command[0]) === 'netlab' ? 'netlab' : 'bundled engine';
  /** @type {number[][]} */
  const [throughApi = [], direct = []] = [[], []];
  for (let run = 0; run < runCount; run += 1) {
    progress(`create with the ${cli}: ${run + 1} of ${runCount}`);
    const [one, other] = [makeWorkdir(), makeWorkdir()];
    const viaApi = async () =>
      throughApi.push(await timed(async () => runJob(service.url, { action: 'create', workdir: one })));
    const alone = async () => direct.push(await timed(async () => runDirectly(job.command, other)));
    // In turns: whoever comes second finds warm caches.
    for (const action of run % 2 === 0 ? [viaApi, alone] : [alone, viaApi]) await action();
  }
  note(`create: through the API, ${cli}`, median(throughApi), undefined, milliseconds);
  note('create: the same command directly', median(direct), undefined, milliseconds);
  note('create: ratio', median(throughApi) / median(direct), 1.05, ratio);
  await service.end();
}
