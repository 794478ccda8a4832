import { expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { freeInstanceNumber, lab, leftovers, missingForAnyLabs } from '../support/engine-cli.ts';
import { plainExamples } from '../support/example-labs.ts';
import { preparedLabs } from '../support/prepared-labs.ts';
import { missingForSandbox, sandboxed } from '../support/sandbox.ts';

const missing = missingForAnyLabs();
const { because, it, root, takeDownLater } = preparedLabs({ missing });

const examples = plainExamples.map(({ directory }) => path.basename(directory));

it.each(examples)(
  `examples/%s comes up, every host reaches every other, and nothing is left${because}`,
  async (name) => {
    const instance = String(freeInstanceNumber());
    const where = { home: path.join(root, `home-${name}`), directory: path.join(root, name) };
    cpSync(path.join('examples', name), where.directory, { recursive: true });
    takeDownLater({ where, instance });
    const own = ['--plugin', 'multilab', '--set', `defaults.multilab.id=${instance}`];
    expect(await lab(where, ['up', 'topology.yml', ...own])).toMatchObject({ exitCode: 0, stderr: '' });

    const status = await lab(where, ['status', '--instance', instance, '--format', 'json']);
    const nodes = (JSON.parse(status.stdout) as { nodes: Record<string, { status: string }> }).nodes;
    expect(Object.values(nodes).map((node) => node.status)).toEqual(Object.keys(nodes).map(() => 'Up'));

    const hosts = Object.keys(nodes).filter((node) => /^h\d/.test(node));
    expect(hosts.length).toBeGreaterThanOrEqual(2);
    for (const from of hosts) {
      const others = hosts.filter((to) => to !== from).map((to) => `ping -c1 -W5 ${to}`);
      const pings = await lab(where, ['exec', '--instance', instance, from, 'sh', '-ec', others.join('\n')]);
      expect([from, pings.exitCode]).toEqual([from, 0]);
    }

    expect(await lab(where, ['down', '--cleanup', '--instance', instance])).toMatchObject({ exitCode: 0 });
    expect(leftovers(where, instance)).toEqual([]);
    expect(readdirSync(where.directory)).toEqual(['topology.yml']);
  },
);

const runDemo = (): string => execFileSync(process.execPath, ['scripts/demo.mjs'], { encoding: 'utf8' });
/** The lab instance that the demonstration took. */
const instanceOf = (said: string): string => /"multilabId":(\d+)/.exec(said)![1]!;

it(`the demonstration runs to its end and leaves nothing${because}`, () => {
  const said = runDemo();
  expect(said.match(/^"packet \d" came back from h2 /gm)).toHaveLength(3);
  // Where netlab and FRR are, four more jobs are about a lab with OSPF.
  const jobs = said.match(/^job-\S+: .*$/gm)!;
  expect(jobs).toHaveLength(said.includes('This machine has netlab and FRR') ? 7 : 3);
  expect(jobs.filter((line) => !line.endsWith(': success'))).toEqual([]);
  expect(said).toMatch(/│ r1 +│ linux +│ .* Up +│/);
  expect(said).toMatch(/That was it/);
  expect(leftovers({ home: '/nowhere', directory: root }, instanceOf(said))).toEqual([]);
});

const whyNoRivals = missing ?? missingForSandbox();

(whyNoRivals === undefined ? test : test.skip)(
  `the demonstration takes a free instance${whyNoRivals === undefined ? '' : ` (skipped: ${whyNoRivals})`}`,
  () => {
    // "default", what a claim without namespaces stands for, and namespaces without a claim.
    const taken = Array.from({ length: 198 }, (_, index) => index + 1).filter((id) => id !== 77);
    const others = `mkdir -p /run/lab-engine/default ${taken.map((id) => `/run/lab-engine/${id}`).join(' ')}
      ip netns add lab-default-h1; ip netns add lab-199-r1; ip netns add lab-200-r1`;
    const demo = `${others}; exec "$0" scripts/demo.mjs`;
    const [file, ...args] = sandboxed('sh', '-euc', demo, process.execPath);
    const said = execFileSync(file, args, { encoding: 'utf8' });
    expect(instanceOf(said)).toBe('77');
    expect(said).toMatch(/That was it/);
  },
);
