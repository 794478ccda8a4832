import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { repoFiles, repoRoot } from '../support/repo-files.ts';

const files = repoFiles();
const read = (file: string): string => readFileSync(path.join(repoRoot, file), 'utf8');

describe('no file names the machine on which it was written', () => {
  // Written in pieces, so that this file does not contain what it looks for.
  const forbidden: readonly { what: string; pattern: RegExp; except?: readonly string[] }[] = [
    { what: 'a path of a build machine', pattern: new RegExp(['(?<![\\w.~-])', 'work', ''].join('/')) },
    {
      what: 'a directory beside the repository',
      pattern: new RegExp(['\\.\\.', 'shared', ''].join('/')),
      except: [path.join('.ci', 'run')],
    },
    {
      what: 'the home directory of root',
      pattern: new RegExp(['', 'root', '\\.'].join('/')),
      // That of the image with netlab, where the state of netlab is mounted.
      except: [
        'docker-compose.yml',
        path.join('docs', 'docker.md'),
        path.join('scripts', 'smoke', 'netlab.mjs'),
      ],
    },
    {
      what: 'the host of a package registry',
      pattern:
        /https?:\/\/[\w.:@-]*(registry|artifactory|nexus|verdaccio|devpi|mirror|proxy\.golang)[\w.:-]*/i,
    },
  ];

  test.each(forbidden)('$what', ({ pattern, except = [] }) => {
    const guilty = files.filter((file) => !except.includes(file) && pattern.test(read(file)));
    expect(guilty).toEqual([]);
  });
});

test('package-lock.json pins packages by their checksum and not by where they were fetched', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { resolved?: string; integrity?: string; os?: readonly string[] }>;
  };
  const entries = Object.entries(packages).filter(([name]) => name !== '');
  expect(entries.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  // A package for another platform may be listed by its name and version alone: not every registry carries them all.
  expect(entries.filter(([, { integrity, os }]) => integrity === undefined && os === undefined)).toEqual([]);
});

test('no source file is longer than 300 lines', () => {
  const long = files
    .filter((file) => /^((src|web[\\/]src)[\\/].*\.(ts|tsx)|scripts[\\/].*)$/.test(file))
    .map((file) => ({ file, lines: read(file).trimEnd().split('\n').length }))
    .filter(({ lines }) => lines > 300);
  expect(long).toEqual([]);
});

test('the entry of the command line stays small', () => {
  expect(read(path.join('src', 'main.ts')).split('\n').length).toBeLessThanOrEqual(40);
});

describe('documents', () => {
  const documents = files.filter(
    (file) => file.endsWith('.md') && !file.startsWith(path.join('tests', 'fixtures')),
  );

  test.each([
    'README.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    'SECURITY.md',
    'LICENSE',
    '.env.example',
    path.join('docs', 'architecture.md'),
    path.join('docs', 'api.md'),
    path.join('docs', 'engine.md'),
  ])('there is a %s', (file) => {
    expect(files).toContain(file);
  });

  test.each(documents)('every link of %s leads somewhere', (document) => {
    expect(brokenLinks(document)).toEqual([]);
  });

  test.each(documents.filter((file) => file !== 'CHANGELOG.md'))(
    'every file that %s names is there',
    (document) => {
      const named = [
        ...read(document).matchAll(
          /(?<![\w/.$-])(?:src|scripts|tests|examples|packaging|docs)\/[\w./-]+\.\w+/g,
        ),
      ];
      expect(named.map(([file]) => file).filter((file) => !existsSync(path.join(repoRoot, file)))).toEqual(
        [],
      );
    },
  );

  const records = documents.filter((file) => file.startsWith(path.join('docs', 'adr')));

  test('architecture decisions are numbered without a gap', () => {
    const numbers = records.map((file) => Number(/^(\d{4})-[\w-]+\.md$/.exec(path.basename(file))?.[1]));
    expect(numbers).toEqual(records.map((_, index) => index + 1));
  });

  test.each(records)('%s has at most 60 lines', (record) => {
    expect(read(record).trimEnd().split('\n').length).toBeLessThanOrEqual(60);
  });
});

describe('programs', () => {
  test('say with the end of their name in which language they are: that is how the linter and the compiler find them', () => {
    const nameless = files.filter((file) => /^scripts[\\/]/.test(file) && !/\.(mjs|sh)$/.test(file));
    expect(nameless).toEqual([]);
  });

  test.each(
    files.filter((file) => file.startsWith(path.join('.ci', '')) || /^scripts[\\/][^\\/]+$/.test(file)),
  )('%s is executable and says with what', (file) => {
    expect(statSync(path.join(repoRoot, file)).mode & 0o111).not.toBe(0);
    expect(read(file)).toMatch(/^#!\S+/);
  });
});

/** Headings as GitHub names them in links. */
function anchors(document: string): Set<string> {
  const headings = read(document).matchAll(/^#{1,6}\s+(.+)$/gm);
  const names = [...headings].map(([, heading]) =>
    (heading ?? '')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
  return new Set(names);
}

function brokenLinks(document: string): string[] {
  const prose = read(document)
    .replace(/^```[\s\S]*?^```/gm, '')
    .replace(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)(?:\s+"[^"]*")?\)|^\[[^\]]+\]:\s*(\S+)/gm)];
  return targets
    .map(([, inline, reference]) => inline ?? reference ?? '')
    .filter((target) => !/^[a-z]+:/i.test(target))
    .filter((target) => !leadsSomewhere(document, target));
}

function leadsSomewhere(document: string, target: string): boolean {
  const [file = '', anchor] = decodeURI(target).split('#');
  const linked = file === '' ? document : path.join(path.dirname(document), file);
  if (linked.startsWith('..') || !existsSync(path.join(repoRoot, linked))) return false;
  return anchor === undefined || !linked.endsWith('.md') || anchors(linked).has(anchor);
}
