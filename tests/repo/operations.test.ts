/** docs/operations.md and the workflow of continuous integration, compared with what they talk about. */
import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { clientVariables, secretVariables, settings } from '../../src/config/settings.ts';
import { readings } from '../support/readings.ts';
import { repoFiles, repoRoot } from '../support/repo-files.ts';

const read = (file: string): string => readFileSync(path.join(repoRoot, file), 'utf8');
const operations = read('docs/operations.md');

/** Source as one line, so that a sentence is found although its string is broken into two. */
const sources = repoFiles('src').map((file) =>
  read(file)
    .replace(/['`]\s*\+\s*['`]/g, '')
    .replace(/\s+/g, ' '),
);

function troubles(): string[] {
  const section = /^## Troubleshooting\n([^]*?)^## /m.exec(operations)?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) => /^\| `([^`]+)`/.exec(row)?.[1] ?? '');
}

describe('every message of the troubleshooting table is printed by the program', () => {
  test('there is a table', () => {
    expect(troubles().length).toBeGreaterThan(10);
  });

  test.each(troubles())('%s', (message) => {
    const fragments = message
      .split('…')
      .map((fragment) => fragment.trim())
      .filter((fragment) => fragment.length > 4);
    expect(fragments).not.toEqual([]);
    expect(sources.some((source) => fragments.every((fragment) => source.includes(fragment)))).toBe(true);
  });
});

test('every setting that it names exists', () => {
  const named = [...operations.matchAll(/LAB_API_\w+/g)].map(([name]) => name);
  const known = [
    ...Object.values(settings).map(({ variable }) => variable),
    ...secretVariables.map((name) => `${name}_FILE`),
    ...clientVariables,
  ];
  expect(named.filter((name) => !known.includes(name))).toEqual([]);
});

test('every script that it names exists', () => {
  const files = new Set(repoFiles('scripts'));
  const named = [...operations.matchAll(/\bscripts\/[\w-]+(?:\.\w+)?/g)].map(([name]) => name);
  expect(named.filter((name) => !files.has(name))).toEqual([]);
});

describe('the table of what is made of a line in a file of variables', () => {
  const section = /^## Files of variables\n([^]*?)^## /m.exec(operations)?.[1] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));

  /** As the page writes a reading: HOME is /root in the recorded ones, and the page must not say so. */
  function written(reading: (typeof readings)[number]['systemd']): string {
    if (reading === 'refused') return reading;
    const value = reading['A'];
    return value === undefined ? 'not read' : `\`${value.replace('/root', '…')}\``;
  }

  test.each(rows)('%s', (row) => {
    const [line = '', ...cells] = row.split('|').flatMap((cell) => cell.trim() || []);
    const recorded = readings.find(({ text }) => `\`${text}\`` === line.replace(/`$/, '\n`'));
    expect(recorded).toBeDefined();
    const { systemd, node, compose, docker } = recorded as (typeof readings)[number];
    expect(cells).toEqual([systemd, node, compose, docker].map(written));
  });

  test('has rows', () => expect(rows.length).toBeGreaterThan(10));
});

describe('.github/workflows', () => {
  interface Step {
    readonly uses?: string;
    readonly run?: string;
  }
  interface Job {
    readonly steps: readonly Step[];
    readonly strategy?: { readonly matrix: { readonly node: readonly number[] } };
    readonly needs?: string | readonly string[];
    readonly permissions?: Readonly<Record<string, string>>;
  }
  interface Workflow {
    readonly jobs: Readonly<Record<string, Job>>;
    readonly permissions: unknown;
  }
  const { jobs, permissions } = parse(read('.github/workflows/ci.yml')) as Workflow;
  const release = read('.github/workflows/release.yml');

  test('runs .ci/run on the oldest Node that is supported and on that of the image', () => {
    const { engines } = JSON.parse(read('package.json')) as { engines: { node: string } };
    const image = /\bnode:(\d+)/.exec(read('Dockerfile'))?.[1];
    const oldest = /\d+/.exec(engines.node)?.[0];
    expect(jobs['check']?.strategy?.matrix.node).toEqual([Number(oldest), Number(image)]);
    expect(jobs['check']?.steps.at(-1)?.run).toBe('.ci/run');
  });

  test('a release comes after the check, with no secret, and only its last job may publish', () => {
    const { jobs: steps, permissions: none } = parse(release) as Workflow;
    expect(permissions).toEqual({ contents: 'read' });
    expect(none).toEqual({});
    // The files are refused for a tag that is not the version: no image may exist then.
    expect([steps['files']?.needs, steps['images']?.needs]).toEqual(['check', 'files']);
    expect(steps['publish']?.needs).toEqual(['files', 'images']);
    expect(steps['files']?.permissions).toEqual({ contents: 'read' });
    expect(release).not.toContain('secrets.');
  });
});
