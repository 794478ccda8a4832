/**
 * A terminal as an animated picture: SVG with nothing but styles, so that it plays wherever a picture may be shown. With
 * reduced motion, all lines are visible at once.
 */

/**
 * A command as it was typed, and what it printed when.
 * @typedef {{ line: string, lines: readonly { text: string, afterMs: number }[] }} Command
 * @typedef {{ kind: 'typed' | 'printed', text: string, fromMs: number, toMs: number }} Row
 */

const prompt = '$ ';
const keyMs = 35;
const beforeTypingMs = 500;
const afterTypingMs = 250;
const maxPauseMs = 1000;
const atEndMs = 6000;
const columns = 100;
const cell = { width: 8.4, height: 20 };
const margin = 20;
const titleHeight = 34;

/** @param {string} text */
const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A number in as few characters as it needs. @param {number} value */
const short = (value) => String(Math.round(value * 100) / 100);

/** Each row with its moments. @param {readonly Command[]} commands @returns {{ rows: Row[], wholeMs: number }} */
function scheduled(commands) {
  /** @type {Row[]} */
  const rows = [];
  let now = 0;
  for (const { line, lines } of commands) {
    const fromMs = now + beforeTypingMs;
    now = fromMs + line.length * keyMs;
    rows.push({ kind: 'typed', text: line, fromMs, toMs: now });
    now += afterTypingMs;
    let last = 0;
    for (const { text, afterMs } of lines) {
      now += Math.min(afterMs - last, maxPauseMs);
      last = afterMs;
      rows.push({ kind: 'printed', text: text.slice(0, columns), fromMs: now, toMs: now });
    }
    rows.push({ kind: 'printed', text: '', fromMs: now, toMs: now });
  }
  rows.pop();
  return { rows, wholeMs: now + atEndMs };
}

/** As many columns as the text has, in every font. @param {string} text @param {number} x @param {string} [more] */
function drawnText(text, x, y = 0, more = '') {
  const width = short(text.length * cell.width);
  return `<text x="${short(x)}" y="${short(y)}" textLength="${width}"${more}>${escaped(text)}</text>`;
}

/** @param {Row} row @param {number} index */
function drawnRow({ kind, text }, index) {
  if (text === '') return '';
  const y = titleHeight + margin + index * cell.height;
  if (kind === 'printed') return drawnText(text, margin, y, ` class="r${index}"`);
  const start = drawnText(prompt.trimEnd(), margin, y, ` class="prompt p${index}"`);
  const command = drawnText(text, margin + prompt.length * cell.width, y, ` class="typed r${index}"`);
  return start + command;
}

/**
 * The moment when a row appears, in percent of the whole. A typed one appears letter by letter.
 * @param {Row} row
 * @param {number} index
 * @param {number} wholeMs
 */
function movement({ kind, text, fromMs, toMs }, index, wholeMs) {
  if (text === '') return '';
  const at = (/** @type {number} */ ms) => `${short((ms / wholeMs) * 100)}%`;
  const appears = (/** @type {string} */ name, /** @type {number} */ ms) =>
    `@keyframes ${name}{0%{opacity:0}${at(ms)}{opacity:1}}.${name}{animation-name:${name}}`;
  if (kind === 'printed') return appears(`r${index}`, fromMs);
  const hidden = 'clip-path:inset(-4px 100% -4px 0)';
  const steps = `animation-timing-function:steps(${text.length},end)`;
  const typed = `@keyframes r${index}{0%{${hidden}}${at(fromMs)}{${hidden};${steps}}${at(toMs)},100%{clip-path:inset(-4px 0 -4px 0)}}`;
  return `${appears(`p${index}`, Math.max(fromMs - beforeTypingMs, 0))}${typed}.r${index}{animation-name:r${index}}`;
}

const style = `
text{font:14px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:#24292f;white-space:pre}
.back{fill:#fff;stroke:#d0d7de}.line{stroke:#d0d7de}.dot{fill:#d0d7de}.title{fill:#57606a}.prompt{fill:#4263eb}.typed{font-weight:600}
@media (prefers-color-scheme:dark){text{fill:#d4d7dd}.back{fill:#1a1b1e;stroke:#373a40}.line{stroke:#373a40}.dot{fill:#373a40}
.title{fill:#909296}.prompt{fill:#91a7ff}}`;

/**
 * The picture. It begins again when it has shown the whole for a while.
 * @param {readonly Command[]} commands
 */
export function drawRecording(commands) {
  const { rows, wholeMs } = scheduled(commands);
  const width = short(2 * margin + columns * cell.width);
  const height = short(titleHeight + 2 * margin + (rows.length - 1) * cell.height);
  const moves = rows.map((row, index) => movement(row, index, wholeMs)).join('\n');
  const names = rows.flatMap(({ kind, text }, index) => {
    if (text === '') return [];
    return kind === 'typed' ? [`.p${index}`, `.r${index}`] : [`.r${index}`];
  });
  const still = `${names.join(',')}{animation:${short(wholeMs / 1000)}s step-end infinite}`;
  const dots = [0, 1, 2].map(
    (at) => `<circle class="dot" cx="${margin + at * 16}" cy="${titleHeight / 2}" r="5"/>`,
  );
  const title = 'Commands of lab-api in a terminal';
  const said = commands.map(({ line }) => line).join('; ');
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">
<title id="title">${title}</title>
<desc id="desc">${escaped(said)}</desc>
<style>${style}
@media (prefers-reduced-motion:no-preference){${still}
${moves}}</style>
<rect class="back" x="0.5" y="0.5" width="${Number(width) - 1}" height="${Number(height) - 1}" rx="8"/>
<path class="line" d="M0 ${titleHeight}.5H${width}"/>
${dots.join('')}
<text class="title" x="50%" y="${titleHeight / 2 + 5}" text-anchor="middle">a lab server, from elsewhere</text>
${rows
  .map(drawnRow)
  .filter((row) => row !== '')
  .join('\n')}
</svg>
`;
}
