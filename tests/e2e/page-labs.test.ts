/** The page of the labs, in a browser: labs of the bundled engine are started, given more time and stopped there. */
import { describe, expect } from '@jest/globals';
import { cpSync } from 'node:fs';
import path from 'node:path';
import { objectionsOn, problemsInLooks } from '../support/accessibility.ts';
import { look, missingForBrowser } from '../support/browser.ts';
import { freeInstanceNumber, missingForAnyLabs } from '../support/engine-cli.ts';
import { eventually } from '../support/eventually.ts';
import {
  actionsOf,
  engineGround,
  giveNumber,
  labCard,
  openLabs,
  stopDialog,
} from '../support/page-of-labs.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { variants } from '../support/thorough.ts';

const { because, home, it, root, takeDownLater } = preparedLabs({
  missing: missingForBrowser ?? missingForAnyLabs(),
});
const variant = variants(it);
const { startEngine } = engineGround({ root, home });

/** A number for a lab that is taken down when the file is done. */
function labNumber(): string {
  const instance = String(freeInstanceNumber());
  takeDownLater({ where: { home, directory: root }, instance });
  return instance;
}

describe('labs of the bundled engine', () => {
  it(`a lab is started from a template, given more time, and stopped${because}`, async () => {
    const { service } = await startEngine();
    const id = labNumber();
    const { page, complaints } = await openLabs(service);
    await page.getByRole('heading', { name: 'No lab is running' }).waitFor();
    await look(page, 'labs-none');
    await page.getByRole('link', { name: 'Start a lab' }).click();
    await page.getByRole('option', { name: /twohosts/ }).click();
    await giveNumber(page, id);
    await page.getByLabel('Time to live').fill('10 min');
    await page.getByLabel('Labels').fill('course=bgp');
    await look(page, 'start-form');
    await page.getByRole('button', { name: 'Start the lab' }).click();
    await page.waitForURL(/\/ui\/jobs\/job-/);
    expect(await service.job(path.basename(page.url()))).toMatchObject({
      action: 'up',
      workspace: expect.stringMatching(/^two-hosts-/),
      labels: { course: 'bgp' },
      request: { multilabId: Number(id), ttlSeconds: 600 },
    });

    await page.getByRole('link', { name: 'Labs' }).click();
    const lab = labCard(page, id);
    await lab.getByText('2 of 2 up').waitFor();
    await lab.getByText(/^(9 min \d+ s|10 min) left$/).waitFor();
    await lab.getByText('success').waitFor();
    const isDrawn = "document.querySelector('li img').naturalWidth > 0";
    await eventually('the picture is there', async () => (await page.evaluate(isDrawn)) === true);
    await look(page, 'labs-one');

    const actions = actionsOf(page, id);
    await actions.click();
    await look(page, 'labs-menu');
    await page.getByRole('menuitem', { name: /^\+4 h/ }).click();
    await page.getByText(/^ends /).waitFor();
    await look(page, 'labs-longer');
    await lab.getByText(/^4 h (9|10) min left$/).waitFor();
    await actions.click();
    await page.getByRole('menuitem', { name: 'No end' }).click();
    await lab.getByText('no end').waitFor();
    expect((await service.get(`/labs/${id}`)).json.expiresAt).toBeNull();

    await lab.getByRole('checkbox').check();
    await page.getByRole('group', { name: 'Actions for the ticked labs' }).getByText('1 lab:').waitFor();
    expect(await problemsInLooks(page, 'labs-ticked')).toEqual([]);
    await page.getByRole('button', { name: 'Untick all' }).click();

    const busy = await service.start({
      action: 'exec',
      instance: id,
      nodes: ['h1'],
      command: ['sleep', '300'],
    });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Stop…' }).click();
    const dialog = stopDialog(page, id);
    await dialog.getByText('This waits until a job of the lab has ended: exec').waitFor();
    await look(page, 'labs-stop-busy');
    await service.request(`/jobs/${busy}/cancel`, { method: 'POST' });
    await dialog.getByText('This waits until').waitFor({ state: 'detached' });
    await dialog.getByText('2 nodes: h1, h2').waitFor();
    await dialog.getByLabel('Also remove the files of the lab CLI').check();
    await dialog.getByText('the files of the lab CLI in').waitFor();
    await look(page, 'labs-stop');
    await dialog.getByRole('button', { name: 'Stop the lab' }).click();
    await page.getByRole('heading', { name: 'No lab is running' }).waitFor();
    expect((await service.get(`/labs/${id}`)).status).toBe(404);
    expect(complaints).toEqual([]);
  });

  it(`a lab that was stopped stays listed: it is started again, edited and deleted${because}`, async () => {
    const { service } = await startEngine();
    const id = labNumber();
    const topology = 'defaults.device: linux\nnodes: [h1, h2]\n';
    const request = { action: 'up', workspace: 'auto', topology, multilabId: Number(id) };
    const run = async (body: Record<string, unknown>): Promise<string> => {
      const started = await service.start(body);
      const { state, workspace } = await service.ended(started);
      expect(state).toBe('success');
      return String(workspace);
    };
    const workspace = await run(request);
    await run({ action: 'down', instance: id });

    const { page, complaints } = await openLabs(service);
    const stopped = page.getByRole('list', { name: 'Stopped' }).getByRole('listitem');
    await stopped.getByText(/stopped \d+ s ago/).waitFor();
    expect(await problemsInLooks(page, 'labs-stopped')).toEqual([]);
    await page.getByRole('button', { name: `Start again: ${workspace}` }).click();
    await page.waitForURL(/\/ui\/jobs\/job-/);
    await page.getByRole('link', { name: 'Open the lab' }).waitFor();
    // In its own workspace, although the first job made that for itself.
    expect(await service.job(path.basename(page.url()))).toMatchObject({ action: 'up', workspace });
    // The lab runs: to start it once more is to lose it.
    await page.getByRole('button', { name: 'Retry' }).click();
    const retry = page.getByRole('dialog', { name: 'Retry this up?' });
    await retry.getByText(`(${id}) runs: all changes in its nodes are lost`).waitFor();
    await retry.getByRole('button', { name: 'Cancel' }).click();

    await page.goto(`${service.url}/ui/labs/${id}`);
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await run({ action: 'down', instance: id });
    await page.getByRole('heading', { name: `Lab ${workspace} (${id}) is not running` }).waitFor();
    await page.getByRole('button', { name: `Start again: ${workspace}` }).waitFor();
    await page.getByRole('button', { name: `Actions of the stopped lab ${workspace}` }).waitFor();
    await eventually('the title without a state', async () => (await page.title()).startsWith(id));
    expect(await problemsInLooks(page, 'lab-stopped')).toEqual([]);

    await page.getByRole('link', { name: 'Labs', exact: true }).click();
    const actions = page.getByRole('button', { name: `Actions of the stopped lab ${workspace}` });
    await actions.click();
    await page.getByRole('menuitem', { name: 'Edit the topology' }).click();
    await page.getByRole('textbox', { name: 'Topology' }).getByText('nodes: [h1, h2]').waitFor();
    await page.goto(`${service.url}/ui/`);
    await actions.click();
    await page.getByRole('menuitem', { name: 'Remove the workspace…' }).click();
    await page.getByRole('button', { name: `Remove ${workspace}` }).click();
    await stopped.waitFor({ state: 'detached' });
    expect((await service.get('/stopped-labs')).json.stoppedLabs).toEqual([]);
    expect((await service.get(`/workspaces/${workspace}`)).status).toBe(404);
    // The page of the lab was open when it was stopped: browsers complain of each 404.
    expect(complaints.filter((complaint) => !complaint.includes(`/labs/${id}`))).toEqual([]);
  });

  variant(
    `a lab is started from a workspace, with a link that others make, and from text that is typed${because}`,
    async () => {
      const { service, workspaces } = await startEngine({ LAB_API_MAX_TTL: '1h' });
      const [first, second] = [labNumber(), labNumber()];
      cpSync(path.join('examples', 'triangle'), path.join(workspaces, 'course'), { recursive: true });
      const { page } = await openLabs(service, '?start=workspace:course');
      await page.getByRole('dialog').getByText('6 nodes').waitFor();
      await page.getByPlaceholder('default: 1 h').waitFor();
      await giveNumber(page, first);
      await page.getByRole('button', { name: 'Start the lab' }).click();
      await page.waitForURL(/\/ui\/jobs\/job-/);

      await page.goto(`${service.url}/ui/?start=text`);
      const typed = 'defaults.device: linux\nnodes: [h1, h2, h3]\n';
      await page.getByRole('textbox', { name: 'Topology' }).fill(`${typed}links: [h1-h4]\n`);
      await giveNumber(page, second);
      await page.getByRole('button', { name: 'Start the lab' }).click();
      await page.waitForURL(/\/ui\/jobs\/job-/);
      // The topology has a mistake: it is a file of a workspace, and the way back leads to it.
      await page.getByRole('link', { name: 'Edit and start again' }).click();
      await page.waitForURL(/\/ui\/workspaces\/lab-.*file=topology\.yml$/);
      await page.getByText('links: [h1-h4]').waitFor();
      const mended = `${service.url}/workspaces/${path.basename(new URL(page.url()).pathname)}/files/topology.yml`;
      await page.request.put(mended, { data: typed });
      await page.goBack();
      await page.goBack();
      await page.getByRole('dialog').getByText('topology.yml').waitFor();
      await giveNumber(page, second);
      await page.getByRole('button', { name: 'Start the lab' }).click();
      await page.waitForURL(/\/ui\/jobs\/job-/);
      await page.getByRole('link', { name: 'Labs' }).click();
      await labCard(page, first).getByText('6 of 6 up').waitFor();
      await labCard(page, first).getByRole('link', { name: 'course' }).first().waitFor();
      await labCard(page, second).getByText('3 of 3 up').waitFor();
      await look(page, 'labs-two');

      await page.goto(`${service.url}/ui/?start=workspace:course`);
      const warning = page.getByText(`Lab ${first} runs in this workspace: a new start loses all changes`);
      await warning.waitFor();
      await page.goto(`${service.url}/ui/?start=text`);
      await page.getByRole('textbox', { name: 'Workspace' }).fill('course');
      await warning.waitFor();
      await page.goBack();
      await page.goBack();

      // Ends that the service would refuse are not offered.
      await actionsOf(page, first).click();
      await page.getByRole('menuitem', { name: 'Until a time…' }).waitFor();
      expect(await page.getByRole('menuitem', { name: /^\+|^No end$/ }).count()).toBe(0);
      await page.getByRole('menuitem', { name: /^As long as allowed: 1 h/ }).click();
      await page.getByText(/^ends /).waitFor();

      await page.getByText('Table', { exact: true }).click();
      const table = page.getByRole('table', { name: 'Labs' });
      await table.getByRole('row', { name: new RegExp(`started course ${first} 6 of 6 up`) }).waitFor();
      await look(page, 'labs-table');
      expect(await objectionsOn(page)).toEqual([]);
      await page.getByLabel('Search labs').fill('course');
      await page.waitForURL(/\?q=course$/);
      await table
        .getByRole('row', { name: new RegExp(`started .* ${second} `) })
        .waitFor({ state: 'detached' });
      // It is kept: what is looked for by the address, and the table by the browser.
      await page.reload();
      await table.getByRole('row', { name: new RegExp(`started course ${first} `) }).waitFor();
      expect(await table.getByRole('row').count()).toBe(2);
      await page.getByLabel('State').selectOption('missing');
      await page.getByRole('button', { name: 'Show all 2' }).click();
      await table.getByRole('row', { name: new RegExp(`started .* ${second} `) }).waitFor();

      const nodesOfFirst = table
        .getByRole('row')
        .nth(1)
        .getByText(/^\d of \d up$/);
      await table.getByRole('button', { name: 'Nodes' }).click();
      await nodesOfFirst.getByText('3 of 3 up').waitFor();
      await table.getByRole('button', { name: 'Nodes' }).click();
      await nodesOfFirst.getByText('6 of 6 up').waitFor();
      expect(new URL(page.url()).search).toBe('?sort=-nodes');

      for (const id of [first, second])
        await table.getByRole('checkbox', { name: new RegExp(`\\(${id}\\)$`) }).check();
      await page.getByRole('button', { name: '+4 h…' }).click();
      const longer = page.getByRole('dialog', { name: 'Extend 2 labs by 4 h?' });
      await longer.getByRole('button', { name: 'Extend 2 labs' }).click();
      // The server refuses such late ends.
      await longer
        .getByText(new RegExp(`\\(${first}\\): `))
        .last()
        .waitFor();
      expect(await objectionsOn(page)).toEqual([]);
      await longer.getByRole('button', { name: 'Cancel' }).click();

      for (const id of [first, second])
        await table.getByRole('checkbox', { name: new RegExp(`\\(${id}\\)$`) }).check();
      await page.getByRole('button', { name: 'Untick all' }).click();
      // The row stays below the pointer, for the next tick.
      const place = await table.boundingBox();
      await table.getByRole('checkbox').first().check();
      await page.getByRole('button', { name: 'Tick all 2' }).click();
      expect(await table.boundingBox()).toEqual(place);
      await page.getByRole('button', { name: 'Stop…' }).click();
      const stop = page.getByRole('dialog', { name: 'Stop 2 labs?' });
      await stop.getByText('6 nodes are lost').waitFor();
      await stop.getByRole('button', { name: 'Stop 2 labs' }).click();
      await page.getByRole('heading', { name: 'No lab is running' }).waitFor();
      expect((await service.get('/labs')).json.labs).toEqual([]);
      await page.getByRole('list', { name: 'Stopped' }).getByText(`lab ${first}`).waitFor();
    },
  );
});
