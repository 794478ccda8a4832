import { describe, expect, test } from '@jest/globals';
import { commandsOf, typedJob } from '../../../web/dashboard/src/frame/palette/commands.ts';
import { fuzzyFind } from '../../../web/dashboard/src/frame/palette/fuzzy.ts';

const find = (query: string, ...texts: readonly string[]): string[] =>
  fuzzyFind(query, texts, (text) => text);

describe('the search', () => {
  test.each([
    ['', ['b', 'a'], ['b', 'a']],
    ['   ', ['b', 'a'], ['b', 'a']],
    ['x', ['b', 'a'], []],
    ['SPINE', ['leaf', 'spine-leaf'], ['spine-leaf']],
    ['sl', ['isle-of-man', 'spine-leaf'], ['isle-of-man', 'spine-leaf']],
    ['leaf', ['l-e-a-f', 'my-leaf', 'leaf'], ['leaf', 'my-leaf', 'l-e-a-f']],
    ['stngs', ['Labs', 'Settings'], ['Settings']],
    ['r1', ['router-1', 'r12', 'r1'], ['r1', 'r12', 'router-1']],
    ['a b', ['ab', 'a-b', 'ba'], ['a-b', 'ab']],
    ['zz', ['z'], []],
    ['ß✓', ['ß✓ lab'], ['ß✓ lab']],
    ['.*', ['abc', 'a.*c'], ['a.*c']],
  ])('%j among %j finds %j', (query, texts, found) => {
    expect(find(query, ...texts)).toEqual(found);
  });

  test('is fast with thousands of nodes', () => {
    const names = Array.from({ length: 20_000 }, (_, nth) => `node-${nth} lab-${nth % 100}`);
    expect(find('node-19999', ...names)[0]).toBe('node-19999 lab-99');
  });
});

describe('the entries of the palette', () => {
  const known = commandsOf({
    labs: [
      {
        id: 'a/b',
        // netlab's name for a lab with the number 7 says nothing: the page shows the workspace.
        name: 'ml-a/b',
        workspace: 'tuesday',
        workdir: '/srv/tuesday',
        state: 'started',
        nodes: [{ name: 'r&1', state: 'up' }],
      } as unknown as Parameters<typeof commandsOf>[0]['labs'][number],
    ],
    jobs: [{ id: 'job-1', action: 'up', state: 'running', instance: null }],
    workspaces: [{ name: 'my files' }],
  });

  test('lead to each lab, node, job and workspace', () => {
    expect(known.map(({ label, does }) => [label, does])).toEqual([
      ['tuesday (a/b)', '/labs/a%2Fb'],
      ['r&1', '/labs/a%2Fb?node=r%261'],
      ['job-1', '/jobs/job-1'],
      ['my files', '/workspaces/my%20files'],
    ]);
    expect(known[1]?.detail).toBe('in tuesday (a/b), up');
    expect(known[2]?.detail).toBe('up · running');
  });

  test('include the job of a typed ID, unless the page has loaded it', () => {
    expect(typedJob(' job-2 ', known).map(({ does }) => does)).toEqual(['/jobs/job-2']);
    expect(typedJob('job-1', known)).toEqual([]);
    const longer = known.map((command) => ({ ...command, id: `${command.id}7` }));
    expect(typedJob('job-1', longer)).toEqual([]);
    for (const word of ['', 'job', 'job-', 'job-1/../x', 'a job-1'])
      expect(typedJob(word, known)).toEqual([]);
  });
});
