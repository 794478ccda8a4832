/** A log that is far longer than what a page can have in memory: one goes through it all the same. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { lineText, logOf, printLines, rowsOnScreen, startJob } from '../support/page-jobs.ts';
import { startProgram, type RunningProgram } from '../support/service.ts';

const describeInBrowser = missingForBrowser === undefined ? describe : describe.skip;
/** More than a page may have in memory, and more lines than an element of Chromium can be high: 2 ** 25 pixels. */
const mebibytes = 128;
/** Lines have 64 bytes. */
const lines = mebibytes * 16_384;
const longMs = 120_000;

/** What JavaScript has in memory, buffers included, in MiB. */
async function heapMiB(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const usage: { usedSize: number; backingStorageSize?: number } = await session.send('Runtime.getHeapUsage');
  return (usage.usedSize + (usage.backingStorageSize ?? 0)) / 1024 / 1024;
}

describeInBrowser(missingForBrowser ?? `a log of ${mebibytes} MiB`, () => {
  let service: RunningProgram;
  let page: Page;
  beforeAll(async () => {
    service = await startProgram();
    const id = await startJob(service, [printLines(lines)]);
    await eventually('the job has ended', async () => {
      const { json } = await service.get(`/jobs/${id}?wait=10`);
      return json.finishedAt !== null;
    });
    ({ page } = await visit());
    await page.goto(`${service.url}/ui/jobs/${id}`);
    await page.getByText(lineText(1)).waitFor();
  }, longMs);

  test('is there at once at its beginning, in its middle and at its end, and takes little memory', async () => {
    expect((await rowsOnScreen(page))[0]).toEqual({ number: '1', text: lineText(1) });
    await page.getByRole('button', { name: 'To the end' }).click();
    await page.getByText(lineText(lines)).waitFor();
    await page.getByText('End of the log: success, exit code 0.').waitFor();
    const bar = page.getByRole('scrollbar', { name: 'Place in the whole log' });
    const box = await bar.boundingBox();
    await page.mouse.click((box?.x ?? 0) + 5, (box?.y ?? 0) + (box?.height ?? 0) / 2);
    await eventually('the middle is there', async () => {
      const [row] = await rowsOnScreen(page);
      const at = Number(/^line (\d+)/.exec(row?.text ?? '')?.[1]);
      return at > lines * 0.45 && at < lines * 0.55;
    });
    await look(page, 'job-long-log');
    // Rows follow on each other, wherever one is.
    for (let step = 0; step < 20; step += 1) {
      await logOf(page).press('PageDown');
      const numbers = (await rowsOnScreen(page)).map(({ text }) => Number(/^line (\d+)/.exec(text)?.[1]));
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index));
    }
    expect(await heapMiB(page)).toBeLessThan(80);
  });

  test(
    'has a line by its number, and what is looked for; both can be ended',
    async () => {
      const wanted = Math.floor(lines * 0.75);
      await page.getByRole('textbox', { name: 'Go to line' }).fill(String(wanted));
      await page.keyboard.press('Enter');
      await page.getByRole('link', { name: `Line ${wanted}`, exact: true }).waitFor({ timeout: longMs });
      const row = (await rowsOnScreen(page)).find(({ number }) => number === String(wanted));
      expect(row?.text).toBe(lineText(wanted));
      const field = page.getByRole('searchbox', { name: 'Find in the log' });
      await field.fill(lineText(lines - 5).slice(0, 20));
      await page.getByText('1 of 1 lines', { exact: true }).waitFor({ timeout: longMs });
      await page.getByText(lineText(lines - 5)).waitFor();
      expect(await heapMiB(page)).toBeLessThan(80);
    },
    longMs,
  );
});
