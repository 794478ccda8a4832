/** In the page: a lab is started from a directory of a Git repository; a mistake stands at its field. */
import { beforeAll, expect } from '@jest/globals';
import { problemsInLooks } from '../support/accessibility.ts';
import { missingForBrowser, visit } from '../support/browser.ts';
import { gitMissing, startGitServer, type GitServer } from '../support/git-server.ts';
import { pressTo } from '../support/page-of-labs.ts';
import { testUnless } from '../support/requirements.ts';
import { startProgram, topologyThat, type RunningProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const missing = missingForBrowser ?? gitMissing;
const { it, because } = testUnless(missing);
const root = temporaryDirectory();

let server: GitServer;
let service: RunningProgram;
let commit: string;
beforeAll(async () => {
  if (missing !== undefined) return;
  server = await startGitServer(root);
  const course = server.repository('course.git');
  commit = course.commit({ 'labs/ospf/topology.yml': topologyThat(), 'labs/bgp/bgp.yml': topologyThat() });
  service = await startProgram({ env: server.env });
});

async function openDialog(query: string) {
  const visitor = await visit();
  const { page } = visitor;
  await page.goto(`${service.url}/ui/?${query}`);
  const field = (name: string) => page.getByRole('textbox', { name });
  /** The message at the field, which has the focus. */
  const refused = async (name: string, message: RegExp): Promise<void> => {
    await page.getByText(message).waitFor();
    await field(name).and(page.locator('[aria-invalid="true"]:focus')).waitFor();
  };
  return { ...visitor, field, refused, submit: page.getByRole('button', { name: 'Start the lab' }) };
}

it(`a lab is started from a repository by keyboard alone${because}`, async () => {
  const { page, complaints, field, refused } = await openDialog('start=&from=own');
  await pressTo(page, 'Tab', page.getByRole('button', { name: 'Fetch files from Git' }));
  expect(await problemsInLooks(page, 'start-own', { part: '[role="dialog"]' })).toEqual([]);
  await page.keyboard.press('Enter');
  // Without the options, nothing can be started.
  await page.getByLabel('Lab ID', { exact: true }).waitFor();
  await pressTo(page, 'Tab', field('URL of the repository'));
  await page.keyboard.press('Enter');
  await refused('URL of the repository', /the address of a repository is needed/);
  await page.keyboard.type('git@git.example.org:course.git');
  await page.keyboard.press('Enter');
  await refused('URL of the repository', /SSH is not supported: give the https address/);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(`${server.url}course.git`);
  await pressTo(page, 'Tab', field('Directory'));
  await page.keyboard.type('labs/ospf');
  // The complaint ends with the mistake.
  expect(await page.getByText(/SSH is not supported/).count()).toBe(0);
  expect(await field('Workspace').inputValue()).toMatch(/^ospf-[a-z0-9]{4}$/);
  expect(await problemsInLooks(page, 'start-git', { part: '[role="dialog"]' })).toEqual([]);
  await pressTo(page, 'Tab', page.getByRole('button', { name: 'Start the lab' }));
  await page.keyboard.press('Enter');
  await page
    .getByText(`the default branch at ${commit.slice(0, 12)}`)
    .or(page.getByText(commit.slice(0, 12)))
    .first()
    .waitFor();
  const [job] = (await service.get('/jobs')).json.jobs;
  expect(await service.ended(job.id)).toMatchObject({
    state: 'success',
    source: { path: 'labs/ospf', commit },
  });
  expect(complaints).toEqual([]);
});

it(`what the server refuses stands at the field that is wrong${because}`, async () => {
  const { page, complaints, field, refused, submit } = await openDialog('start=git');
  await field('URL of the repository').fill('https://git.example.org/course.git');
  await submit.click();
  await refused('URL of the repository', /LAB_API_GIT_HOSTS/);
  await field('URL of the repository').fill(`${server.url}course.git`);
  await field('Branch, tag or commit').fill('spring');
  await submit.click();
  await refused('Branch, tag or commit', /the repository has no such branch, tag or commit/);
  await field('Branch, tag or commit').fill('');
  await field('Directory').fill('labs/rip');
  await submit.click();
  await page.locator('[aria-invalid="true"]:focus').and(field('Directory')).waitFor();
  expect(await problemsInLooks(page, 'start-git-refused', { part: '[role="dialog"]' })).toEqual([]);
  // A topology of another name is found, and a workspace with other files is left alone.
  await field('Directory').fill('labs/bgp');
  await field('Topology file').fill('bgp.yml');
  const workspace = '/workspaces/mine';
  await service.request(workspace, { method: 'PUT' });
  const file = { method: 'PUT', headers: { 'Content-Type': 'application/octet-stream' }, body: 'mine' };
  await service.request(`${workspace}/files/notes.txt`, file);
  await field('Workspace').fill('mine');
  await submit.click();
  await refused('Workspace', /"mine" has files that did not come from Git/);
  expect(await problemsInLooks(page, 'start-git-busy', { part: '[role="dialog"]' })).toEqual([]);
  await field('Workspace').fill('bgp');
  await submit.click();
  await page.getByRole('heading', { level: 1 }).getByText('up').waitFor();
  const [job] = (await service.get('/jobs')).json.jobs;
  expect(await service.ended(job.id)).toMatchObject({
    state: 'success',
    workspace: 'bgp',
    source: { commit },
  });
  // The browser reports each reply of an error.
  expect(complaints.filter((text) => !text.includes('/jobs'))).toEqual([]);
});

it(`a workspace is made of a repository, and nothing is started${because}`, async () => {
  const { page, complaints, field, refused } = await openDialog('new=git');
  const create = page.getByRole('button', { name: 'Create' });
  await create.click();
  await refused('URL of the repository', /the address of a repository is needed/);
  await field('URL of the repository').fill(`${server.url}course.git`);
  await field('Directory').fill('labs/bgp');
  await field('Topology file').fill('bgp.yml');
  await field('Workspace').fill('fetched');
  await create.click();
  await page.waitForURL('**/ui/workspaces/fetched?file=bgp.yml&view=drawing');
  await page.getByRole('toolbar', { name: 'Drawing' }).waitFor();
  const [job] = (await service.get('/jobs?workspace=fetched')).json.jobs;
  expect(job).toMatchObject({ action: 'create', source: { commit } });
  await service.ended(job.id);
  // A new drawing has no layout yet.
  expect(complaints.filter((text) => !text.includes('/layout'))).toEqual([]);
});
