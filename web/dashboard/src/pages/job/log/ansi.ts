/** Escape sequences of terminals (ECMA-48) in a log: colours continue over lines, all other sequences are removed. */
import Anser from 'anser';

/** A piece of a line with one look. */
export interface Span {
  readonly text: string;
  /** Class names, such as `bold underline`; empty for plain text. */
  readonly look: string;
  /** The sixteen colours are variables of log.module.css; the others are `rgb(…)`. */
  readonly color?: string;
  readonly background?: string;
}

const [esc, bell] = ['\u001B', '\u0007'];
/** With ESC, or as one character. A sequence that contains text ends with BEL or ESC \\, or with its line. */
const textSequence = `(?:${esc}[\\]PX^_]|[\u0090\u0098\u009D-\u009F])[^${bell}${esc}]*(?:${bell}|${esc}\\\\|$)`;
const controlSequence = `(?:${esc}\\[|\u009B)[0-?]*[ -/]*(?:[@-~]|$)`;
const shortSequence = `${esc}[ -/]*[0-~]?`;
const anySequence = new RegExp(`${textSequence}|${controlSequence}|${shortSequence}`, 'g');
const colourSequence = new RegExp(`^${esc}\\[([0-9;:]*)m$`);
/** All control characters except the tab. */
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u0008\u000A-\u001F\u007F-\u009F]/g;

/** The line without escape sequences and control characters, for search and copy. */
export function plainText(line: string): string {
  return line.replace(anySequence, '').replace(controls, '');
}

/** The last part of a line that a program has overwritten with carriage returns, such as a progress bar. */
export function lastWritten(line: string): string {
  if (!line.includes('\r')) return line;
  const parts = line.split('\r').filter((part) => plainText(part) !== '');
  return parts.at(-1) ?? '';
}

/** The number of further parameters of a colour: `5;n` (256 colours) or `2;r;g;b`. */
function longColour(codes: readonly string[], at: number): number {
  return { '5': 2, '2': 4 }[codes[at + 1] ?? ''] ?? 0;
}

/** The codes that switch decorations off, with the decorations. */
const offs: Readonly<Record<string, readonly string[]>> = {
  '22': ['1', '2'],
  '23': ['3'],
  '24': ['4'],
  '27': ['7'],
  '28': ['8'],
  '29': ['9'],
};

/** The slot of a code: one text colour, one background, and one for each decoration. */
function slotOf(code: number): string | undefined {
  if ((code >= 30 && code <= 38) || (code >= 90 && code <= 97)) return 'fg';
  if ((code >= 40 && code <= 48) || (code >= 100 && code <= 107)) return 'bg';
  return code >= 1 && code <= 9 ? String(code) : undefined;
}

function applyCodes(state: Map<string, string>, codes: readonly string[]): void {
  for (let at = 0; at < codes.length; at += 1) {
    const code = codes[at] ?? '';
    const number = Number(code || 0);
    if (number === 0) state.clear();
    else if (number === 39) state.delete('fg');
    else if (number === 49) state.delete('bg');
    else if (offs[code]) for (const off of offs[code]) state.delete(off);
    else {
      const more = number === 38 || number === 48 ? longColour(codes, at) : 0;
      const slot = slotOf(number);
      if (slot !== undefined) state.set(slot, codes.slice(at, at + more + 1).join(';'));
      at += more;
    }
  }
}

/** The colour parameters after the line, given those before it. */
export function coloursAfter(line: string, before: string): string {
  if (!line.includes(esc)) return before;
  const state = new Map<string, string>();
  applyCodes(state, before === '' ? [] : before.split(';'));
  for (const [sequence] of line.matchAll(anySequence)) {
    const codes = colourSequence.exec(sequence)?.[1];
    if (codes !== undefined) applyCodes(state, codes.replaceAll(':', ';').split(';'));
  }
  return [...state.values()].join(';');
}

/** `name` is a colour of Anser, such as `ansi-bright-red`; returns undefined for no colour. */
function colourOf(name: string, trueColour: string, kind: 'fg' | 'bg'): string | undefined {
  if (!name) return undefined;
  const sixteen = /^ansi-(?:bright-)?([a-z]+)$/.exec(name)?.[1];
  if (sixteen !== undefined && sixteen !== 'truecolor') return `var(--${kind}-${sixteen})`;
  const rgb = trueColour || paletteColour(name);
  return rgb ? `rgb(${rgb})` : undefined;
}

/** The 256-colour palette beyond the first sixteen: a cube of six steps, then greys (xterm). */
function paletteColour(name: string): string {
  const index = Number(/^ansi-palette-(\d+)$/.exec(name)?.[1] ?? Number.NaN);
  if (!(index >= 16 && index <= 255)) return '';
  if (index >= 232)
    return Array(3)
      .fill((index - 232) * 10 + 8)
      .join(', ');
  const step = (value: number): number => (value === 0 ? 0 : value * 40 + 55);
  const cube = index - 16;
  return [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map(step).join(', ');
}

/** The line as pieces of one look each, given the colours before it. */
export function spansOf(line: string, before: string): Span[] {
  if (before === '' && !line.includes(esc)) return [{ text: plainText(line), look: '' }];
  const kept = line.replace(anySequence, (sequence) => {
    const codes = colourSequence.exec(sequence)?.[1];
    return codes === undefined ? '' : `${esc}[${codes.replaceAll(':', ';')}m`;
  });
  const entries = Anser.ansiToJson(before === '' ? kept : `${esc}[${before}m${kept}`, {
    json: true,
    remove_empty: true,
    use_classes: true,
  });
  return entries.map((entry) => {
    const color = colourOf(entry.fg, entry.fg_truecolor, 'fg');
    const background = colourOf(entry.bg, entry.bg_truecolor, 'bg');
    return {
      text: entry.content.replace(controls, ''),
      look: entry.decorations.join(' '),
      ...(color !== undefined && { color }),
      ...(background !== undefined && { background }),
    };
  });
}
