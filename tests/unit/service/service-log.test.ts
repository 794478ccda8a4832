import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { createServiceLog } from '../../../src/service/service-log.ts';

afterEach(() => void jest.restoreAllMocks());

/** What is written to standard error. */
function linesOf(
  format: 'text' | 'json',
  level: string,
  use: (log: ReturnType<typeof createServiceLog>) => void,
): string[] {
  const written: string[] = [];
  const keep = (text: string | Uint8Array): boolean => written.push(String(text)) > 0;
  // Winston writes to the stream that Jest leaves to `console`, where there is one.
  const streams = [process.stderr, (console as unknown as Record<string, NodeJS.WriteStream>)['_stderr']];
  for (const stream of streams) if (stream) jest.spyOn(stream, 'write').mockImplementation(keep);
  use(createServiceLog({ level, format }));
  return written.join('').split('\n').slice(0, -1);
}

describe('a line of the log', () => {
  const fields = { path: '/a\n2026 forged\u001b[2J\u009b1m', none: undefined, count: 3, word: 'plain' };

  test('as text is one line, in which nothing acts on a terminal', () => {
    const [line, ...more] = linesOf('text', 'info', (log) => log.info('said\nso\u009b', fields));
    expect(more).toEqual([]);
    expect(line).toMatch(/^[\u0020-\u007e]+$/);
    expect(line).toContain(
      String.raw`info  said\u000aso\u009b path="/a\n2026 forged\u001b[2J\u009b1m" count=3 word=plain`,
    );
  });

  test('as JSON is the same, and means what was said', () => {
    const [line = '', ...more] = linesOf('json', 'info', (log) => log.info('said', fields));
    expect(more).toEqual([]);
    expect(line).toMatch(/^[\u0020-\u007e]+$/);
    expect(JSON.parse(line)).toMatchObject({ level: 'info', message: 'said', path: fields.path, count: 3 });
  });

  test('of a level that nobody wants is none', () => {
    expect(linesOf('text', 'warn', (log) => log.info('said'))).toEqual([]);
  });
});
