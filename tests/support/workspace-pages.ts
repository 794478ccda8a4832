/** A service with people, in front of the bundled engine, and what tests of the pages of workspaces do there. */
import { beforeAll, expect } from '@jest/globals';
import path from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { visit, type Visitor } from './browser.ts';
import { makeGround, startProgram, type RunningProgram } from './service.ts';
import { basic, makeTeam, passwords } from './team.ts';

type Person = 'ops' | 'vera';

interface Places {
  /** The state directory of labs. */
  readonly home: string;
  /** Outlives the service: labs are taken down later. */
  readonly root: string;
}

export const officeTopology = 'name: office\ndefaults.device: linux\nnodes: [h1, h2]\nlinks: [h1-h2]\n';

/** What a browser says of a reply that the page expects, and shows. */
export const isExpected = (text: string): boolean => /status of 4\d\d/.test(text);

export const editorOf = (page: Page, file = 'topology.yml'): Locator =>
  page.getByRole('textbox', { name: `Text of ${file}` });

/** Starts the service before the tests of the file. `ops` may do all, `vera` may look. */
export function workspacePages({ home, root }: Places) {
  let service: RunningProgram;
  beforeAll(async () => {
    const ground = makeGround();
    const team = await makeTeam(ground.root);
    const own = {
      LAB_API_CLI: 'engine',
      LAB_HOME: home,
      LAB_API_MAX_FILE_SIZE: '2MiB',
      LAB_API_KEEP_WORKSPACES: '30d',
    };
    const env = { ...team.env, ...own, LAB_API_WORKSPACES_DIR: path.join(root, 'workspaces') };
    service = await startProgram({ ground, env, client: { headers: basic('ops', passwords.ops) } });
  });
  const put = async (target: string, content: string): Promise<void> => {
    const headers = { 'Content-Type': 'application/octet-stream' };
    const reply = await service.request(target, { method: 'PUT', headers, body: content });
    expect([200, 201]).toContain(reply.status);
  };
  const fileOf = (workspace: string, file: string): string => `/workspaces/${workspace}/files/${file}`;
  return {
    /** Once the tests run. */
    service: (): RunningProgram => service,
    /** As another program, or another person, writes it. */
    write: async (workspace: string, file: string, content: string): Promise<void> =>
      put(fileOf(workspace, file), content),
    contentOf: async (workspace: string, file: string): Promise<string> =>
      (await service.get(fileOf(workspace, file))).text,
    workspaceWith: async (name: string, files: Readonly<Record<string, string>>): Promise<void> => {
      await service.request(`/workspaces/${name}`, { method: 'PUT' });
      for (const [file, content] of Object.entries(files)) await put(fileOf(name, file), content);
    },
    openAs: async (user: Person, place: string, options: BrowserContextOptions = {}): Promise<Visitor> => {
      const visitor = await visit({ extraHTTPHeaders: basic(user, passwords[user]), ...options });
      await visitor.page.goto(`${service.url}/ui${place}`);
      return visitor;
    },
  };
}
