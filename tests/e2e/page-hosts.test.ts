/** The page of the hosts of a cluster, in a real browser. */
import { expect, test } from '@jest/globals';
import { look, missingForBrowser, visit } from '../support/browser.ts';
import { clusterEnvironment, seesHosts } from '../support/cluster.ts';
import { isLive } from '../support/page.ts';
import { missingRedis, startRedis } from '../support/redis.ts';
import { testUnless } from '../support/requirements.ts';
import { makeGround, startProgram } from '../support/service.ts';

const missing = missingForBrowser ?? missingRedis;
const { because, it: inBrowser } = testUnless(missing);

inBrowser(`hosts are drained, told apart from those that are away, and forgotten${because}`, async () => {
  const redis = await startRedis();
  const hostNamed = async (name: string) =>
    startProgram({ ground: makeGround(), env: { ...clusterEnvironment(redis, name) } });
  const [one, two] = [await hostNamed('one'), await hostNamed('two')];
  await seesHosts(one, { one: 'up', two: 'up' });
  const { page, complaints } = await visit();
  await page.goto(`${one.url}/ui/`);
  await isLive(page);
  await page.getByRole('link', { name: 'Hosts', exact: true }).click();
  const row = (name: string, state: string) =>
    page.getByRole('table', { name: 'Hosts' }).getByRole('row', { name: new RegExp(`^${name}.* ${state} `) });
  await row('one this host', 'up').waitFor();
  await row('two', 'up').waitFor();
  await look(page, 'hosts');
  // As narrow as the pages stand beside each other.
  await page.setViewportSize({ width: 770, height: 800 });
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(770);
  await look(page, 'hosts-770');
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.getByRole('link', { name: 'Disk', exact: true }).click();
  await page.getByRole('combobox', { name: 'Host' }).click();
  await page.getByRole('option', { name: 'two' }).click();
  await page.getByText(two.ground.dataDir, { exact: true }).waitFor();
  await look(page, 'disk-of-host');
  await page.getByRole('link', { name: 'Hosts', exact: true }).click();

  await page.getByRole('button', { name: 'Actions of two' }).click();
  await page.getByRole('menuitem', { name: 'Drain: no new labs' }).click();
  await row('two', 'draining').waitFor();
  await seesHosts(one, { one: 'up', two: 'draining' });
  await page.getByRole('button', { name: 'Actions of two' }).click();
  await page.getByRole('menuitem', { name: 'Accept labs again' }).click();
  await row('two', 'up').waitFor();

  await two.end();
  await row('two', 'away').waitFor();
  await page.getByText(/^seen .* ago/).waitFor();
  await page.getByRole('button', { name: 'Actions of two' }).click();
  await page.getByRole('menuitem', { name: 'Forget…' }).click();
  await page.getByRole('button', { name: 'Forget two' }).click();
  await row('two', 'away').waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

const alone = missingForBrowser === undefined ? test : test.skip;

alone(
  `a service that works alone has no such page${missingForBrowser ? ` (skipped: ${missingForBrowser})` : ''}`,
  async () => {
    const service = await startProgram();
    const { page, complaints } = await visit();
    await page.goto(`${service.url}/ui/`);
    await isLive(page);
    await page.getByRole('link', { name: 'Settings', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Hosts', exact: true }).count()).toBe(0);
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    await page.getByText('This server is not in a cluster').waitFor();
    expect(complaints).toEqual([]);
  },
);
