import { describe, expect, test } from '@jest/globals';
import {
  coloursAfter,
  lastWritten,
  plainText,
  spansOf,
} from '../../../web/dashboard/src/pages/job/log/ansi.ts';
import { groupEnd, levelOf, seenRows, timeTaken } from '../../../web/dashboard/src/pages/job/log/groups.ts';
import { markText, parsedMark } from '../../../web/dashboard/src/pages/job/log/marked-lines.ts';
import { curlLine, shellLine, sshLine, wiresharkLine } from '../../../web/dashboard/src/parts/shell-words.ts';

const esc = '\u001B';

describe('escape sequences', () => {
  test.each([
    ['colours', `${esc}[1;31mred${esc}[0m`, 'red'],
    ['a title with BEL', `${esc}]0;title\u0007text`, 'text'],
    ['a title with ESC \\', `${esc}]0;title${esc}\\text`, 'text'],
    ['a link', `${esc}]8;;http://x${esc}\\text${esc}]8;;${esc}\\`, 'text'],
    ['moves of the cursor', `a${esc}[2K${esc}[1Ab`, 'ab'],
    ['an incomplete sequence', `text${esc}[3`, 'text'],
    ['control characters', 'a\u0000b\u0008c\td', 'abc\td'],
  ])('%s: not part of the text', (_, line, text) => {
    expect(plainText(line)).toBe(text);
    expect(
      spansOf(line, '')
        .map((span) => span.text)
        .join(''),
    ).toBe(text);
  });

  test('a progress bar shows its last state', () => {
    expect(lastWritten('10 %\r20 %\r100 %')).toBe('100 %');
    expect(lastWritten('10 %\r20 %\r')).toBe('20 %');
    expect(lastWritten('plain')).toBe('plain');
  });

  test.each([
    ['', `${esc}[31m`, '31'],
    ['31', 'text', '31'],
    ['31', `${esc}[0m`, ''],
    ['31', `${esc}[m`, ''],
    ['1;31', `${esc}[22m`, '31'],
    ['31', `${esc}[32m`, '32'],
    ['31;44', `${esc}[39m`, '44'],
    ['', `${esc}[38;5;208m`, '38;5;208'],
    ['', `${esc}[38;2;1;2;3;4m`, '38;2;1;2;3;4'],
    ['', `${esc}[38:5:208m`, '38;5;208'],
    ['', `${esc}[2K`, ''],
  ])('after %j, %j leaves %j', (before, line, after) => {
    expect(coloursAfter(line, before)).toBe(after);
  });

  test('spans name the sixteen colours, and have other colours as values', () => {
    expect(spansOf(`a${esc}[1;31mb${esc}[0m`, '')).toMatchObject([
      { text: 'a', look: '' },
      { text: 'b', look: 'bold', color: 'var(--fg-red)' },
    ]);
    expect(spansOf('text', '92')).toMatchObject([{ text: 'text', color: 'var(--fg-green)' }]);
    expect(spansOf('text', '38;5;196')).toMatchObject([{ color: 'rgb(255, 0, 0)' }]);
    expect(spansOf('text', '48;2;1;2;3')).toMatchObject([{ background: 'rgb(1, 2, 3)' }]);
  });
});

describe('groups', () => {
  test.each([
    ['PLAY [Collect device configurations] ****', 2],
    ['PLAY RECAP *******', 2],
    ['TASK [set_fact] ****', 3],
    [`${esc}[1m# eos_config: deploying normalize from /labs ***${esc}[0m`, 3],
    ['Starting clab nodes', 1],
    ['Creating 11 nodes', 1],
    ['Creating nodes: 3 of 11', 0],
    ['[ping]    H1 reaches H2 [ node(s): h1,h2 ]', 1],
    ['[PASS]    h1: Ping succeeded', 0],
    ['[CONFIG]  r1: initial', 0],
    ['ok: [r1]', 0],
    ['Created group_vars for all', 0],
  ])('%j has level %d', (line, level) => {
    expect(levelOf(line)).toBe(level);
  });

  const rows = ([0, 1, 0, 2, 3, 0, 3, 0, 2, 0, 1] as const).map((level, offset) => ({ level, offset }));

  test('end where the next group of the same or a higher level begins', () => {
    expect([1, 3, 4, 8, 0].map((index) => groupEnd(rows, index))).toEqual([10, 8, 6, 10, 1]);
  });

  test('that are folded show their heading alone', () => {
    expect(seenRows(rows, new Set())).toBeUndefined();
    expect(seenRows(rows, new Set([3]))).toEqual([0, 1, 2, 3, 8, 9, 10]);
    expect(seenRows(rows, new Set([1, 4]))).toEqual([0, 1, 10]);
    // A row that is no heading folds nothing.
    expect(seenRows(rows, new Set([2]))).toHaveLength(rows.length);
  });

  test.each([
    [['a', '[PASS]    Test succeeded in 8.7 seconds', 'b'], 8700],
    [['03:32:55 INFO started', 'x', '03:33:07 INFO done'], 12_000],
    [['2026-11-22T23:59:59.500Z a', '2026-11-23T00:00:01.000Z b'], 1500],
    [['03:32:55 INFO started'], undefined],
    [['nothing', 'at all'], undefined],
  ])('%j took %p ms', (lines, ms) => {
    expect(timeTaken(lines)).toBe(ms);
  });
});

describe('addresses of lines', () => {
  test.each([
    ['#L120', '', { from: 120, to: 120 }],
    ['#L120-L140', '', { from: 120, to: 140 }],
    ['#L140-120', '', { from: 120, to: 140 }],
    ['#B4096', '', { byte: 4096 }],
    ['', '?line=7', { from: 7, to: 7 }],
    ['', '?line=7-9', { from: 7, to: 9 }],
    ['#L0', '', undefined],
    ['#other', '?line=x', undefined],
  ])('%j with %j', (hash, search, mark) => {
    expect(parsedMark(hash, search)).toEqual(mark);
  });

  test('are written as they are read', () => {
    for (const text of ['#L1', '#L3-L5', '#B77'])
      expect(markText(parsedMark(text, '') ?? { byte: 0 })).toBe(text);
  });
});

test('words are quoted as a shell reads them', () => {
  expect(shellLine(['netlab', 'up', '--set', "a='b c'"])).toBe(String.raw`netlab up --set 'a='\''b c'\'''`);
  const reach = { url: 'http://x', user: null, pin: null };
  expect(curlLine(reach, { set: "it's" })).toBe(
    String.raw`curl -sS --fail-with-body http://x/jobs -d '{"set":"it'\''s"}'`,
  );
  expect(curlLine(reach, { topology: "it's\n" })).toBe(
    `curl -sS --fail-with-body http://x/jobs -d @- <<'EOF'\n{"topology":"it's\\n"}\nEOF`,
  );
});

test('a shell over SSH is on the server of the page', () => {
  expect(sshLine({ url: 'https://lab.example.org:8090/base' }, 2222, 'r1.7')).toBe(
    'ssh -p 2222 r1.7@lab.example.org',
  );
  expect(sshLine({ url: 'http://[::1]:8090' }, 22, 'r1.a b')).toBe("ssh -p 22 'r1.a b@::1'");
});

test('copied commands log in, and trust a self-signed certificate', () => {
  const reach = { url: 'https://x', user: 'ops', pin: 'sha256//a+b=' };
  expect(curlLine(reach, {})).toBe(
    "curl -sS --fail-with-body -u ops -k --pinnedpubkey sha256//a+b= https://x/jobs -d '{}'",
  );
  expect(wiresharkLine(reach, '/labs/1/capture?packets=5')).toBe(
    "curl -fsSN -u ops -k --pinnedpubkey sha256//a+b= 'https://x/labs/1/capture?packets=5' | wireshark -k -i -",
  );
});
