import { StringDecoder } from 'node:string_decoder';
import { stripVTControlCharacters } from 'node:util';
import { logStream } from './log-file.ts';

/** Longer than any line that means something; a program that prints no line end must not fill memory. */
const maxLineLength = 16 * 1024;

/** Without colours, and of a progress line that was overwritten only what was seen last. */
function asSeen(line: string): string {
  return stripVTControlCharacters(line).replace(/\r+$/, '').split('\r').at(-1) ?? '';
}

/**
 * Gives `take` the lines of the first `size` bytes of a log, with flat memory: of a line over 16 Ki characters, the beginning.
 * @throws AppError `log-not-found`, `storage-fault`; Error when the disk refuses.
 */
export async function readLines(file: string, size: number, take: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const lines = (text: string): void => {
    const parts = text.split('\n');
    parts[0] = `${rest}${parts[0]}`;
    rest = (parts.pop() ?? '').slice(0, maxLineLength);
    for (const part of parts) take(asSeen(part.slice(0, maxLineLength)));
  };
  for await (const chunk of await logStream(file, 0, size)) lines(decoder.write(chunk as Buffer));
  lines(decoder.end());
  if (rest !== '') take(asSeen(rest));
}
