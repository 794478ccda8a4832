/** The pictures of a scenario as SVG: faults against flows, and when each flow was without traffic. */
import { escapeXml } from '../../lib/text/escape-xml.ts';
import { seconds } from '../model/report-words.ts';
import type { FaultReport, ScenarioReport, StreamLoss } from '../model/scenario-report.ts';

const style = `
svg{font-family:system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;font-size:12px;
--page:#fff;--ink:#1f2328;--soft:#57606a;--line:#d0d7de;--good:#dafbe1;--late:#fff8c5;--bad:#ffcecb;--bar:#8c959f;--gap:#cf222e}
@media(prefers-color-scheme:dark){svg{--page:#0d1117;--ink:#e6edf3;--soft:#9198a1;--line:#30363d;--good:#12321c;--late:#3b300c;--bad:#5d1a1a;--bar:#6e7681;--gap:#f85149}}
.page{fill:var(--page)}
text{fill:var(--ink)}
.soft{fill:var(--soft)}
.title{font-size:14px;font-weight:600}
.cell{stroke:var(--page);stroke-width:2}
.good{fill:var(--good)}.late{fill:var(--late)}.bad{fill:var(--bad)}
.value{text-anchor:middle;font-variant-numeric:tabular-nums}
.bar{fill:var(--bar)}.gap{fill:var(--gap)}
.mark{stroke:var(--soft);stroke-dasharray:3 3}
.axis{stroke:var(--line)}
`;

const letter = 6.6;
const margin = 16;
const titleHeight = 40;
const rowHeight = 26;

interface Size {
  readonly width: number;
  readonly height: number;
}

function svg({ width, height }: Size, title: string, content: readonly string[]): string {
  const head = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`;
  const name = escapeXml(title);
  const body = content.map((part) => `${part}\n`).join('');
  return (
    `${head}\n<title>${name}</title>\n<style>${style}</style>\n` +
    `<rect class="page" width="100%" height="100%"/>\n` +
    `<text class="title" x="${margin}" y="${margin + 10}">${name}</text>\n${body}</svg>\n`
  );
}

const widest = (texts: readonly string[]): number =>
  Math.ceil(Math.max(0, ...texts.map((text) => text.length)) * letter);

/** Words go with the colour: a cross for a flow that broke the rule. */
function cellOf(loss: StreamLoss, limitMs: number | null): { look: 'good' | 'late' | 'bad'; words: string } {
  const isBad = !loss.isAnswered || (limitMs !== null && loss.outageMs > limitMs);
  const time = loss.lost === 0 ? `< ${seconds(loss.periodMs)}` : seconds(loss.outageMs);
  if (isBad) return { look: 'bad', words: `✕ ${time}` };
  return { look: loss.lost === 0 ? 'good' : 'late', words: time };
}

const labelOf = ({ fault, verdict }: FaultReport): string => (verdict === 'failed' ? `✕ ${fault}` : fault);

/** Faults in rows, flows in columns. */
export function matrixSvg({ title, faults, streams }: ScenarioReport): string {
  const left = margin + widest(faults.map(labelOf)) + 12;
  const cellWidth = Math.max(126, widest(streams) + 12);
  const top = titleHeight + rowHeight;
  const headings = streams.map((stream, column) => {
    const x = left + column * cellWidth + cellWidth / 2;
    return `<text class="value soft" x="${x}" y="${top - 9}">${escapeXml(stream)}</text>`;
  });
  const rows = faults.flatMap((report, row) => {
    const y = top + row * rowHeight;
    const cells = report.streams.map((loss, column) => {
      const { look, words } = cellOf(loss, report.limitMs);
      const x = left + column * cellWidth;
      return (
        `<rect class="cell ${look}" x="${x}" y="${y}" width="${cellWidth}" height="${rowHeight}"/>` +
        `<text class="value" x="${x + cellWidth / 2}" y="${y + 17}">${escapeXml(words)}</text>`
      );
    });
    return [`<text x="${margin}" y="${y + 17}">${escapeXml(labelOf(report))}</text>`, ...cells];
  });
  const width = Math.max(left + streams.length * cellWidth, margin + widest([title]) * 1.2) + margin;
  const key =
    'Time without traffic while the fault was there. Green: no probe was lost. ✕: longer than allowed, or not back when the fault was healed.';
  const height = top + faults.length * rowHeight + 34;
  const legend = `<text class="soft" x="${margin}" y="${height - 12}">${key}</text>`;
  return svg({ width: Math.max(width, widest([key]) + 2 * margin), height }, title, [
    ...headings,
    ...rows,
    legend,
  ]);
}

const barHeight = 8;
const chartWidth = 640;

/** Of each fault, the flows that lost probes; one row for a fault that did no harm. */
function rowsOf({ fault, streams, afterHeal, heldMs }: FaultReport) {
  const hurt = streams.flatMap((loss, index) => {
    const after = afterHeal[index]?.gaps.map((gap) => ({ ...gap, fromMs: gap.fromMs + heldMs })) ?? [];
    const gaps = [...loss.gaps, ...after];
    return gaps.length === 0 ? [] : [{ label: loss.stream, gaps, periodMs: loss.periodMs }];
  });
  return {
    fault,
    rows:
      hurt.length > 0
        ? hurt
        : [{ label: streams.length === 0 ? 'not set' : 'no loss', gaps: [], periodMs: 0 }],
  };
}

/** A bar for each flow from the fault on; red where it was without traffic, a dashed line where the fault was healed. */
export function timelineSvg({ title, faults }: ScenarioReport): string {
  const wholeMs = Math.max(1, ...faults.map(({ heldMs, healedMs }) => heldMs + (healedMs ?? 0)));
  const groups = faults.map((report) => ({ report, ...rowsOf(report) }));
  const labels = groups.flatMap(({ fault, rows }) => [fault, ...rows.map(({ label }) => label)]);
  const left = margin + widest(labels) + 24;
  const xOf = (ms: number): number => Math.round((left + (ms / wholeMs) * chartWidth) * 10) / 10;
  const content: string[] = [];
  let y = titleHeight;
  for (const { report, fault, rows } of groups) {
    const { heldMs, healedMs } = report;
    const [begin, end] = [xOf(0), xOf(heldMs + (healedMs ?? 0))];
    content.push(`<text x="${margin}" y="${y + 12}">${escapeXml(fault)}</text>`);
    const groupTop = y + 16;
    for (const [index, { label, gaps, periodMs }] of rows.entries()) {
      const barTop = groupTop + index * 18 + 4;
      content.push(`<text class="soft" x="${margin + 12}" y="${barTop + 8}">${escapeXml(label)}</text>`);
      content.push(
        `<rect class="bar" x="${begin}" y="${barTop}" width="${end - begin}" height="${barHeight}"/>`,
      );
      for (const gap of gaps) {
        const [from, to] = [xOf(Math.max(0, gap.fromMs)), xOf(gap.fromMs + gap.lost * periodMs)];
        const width = Math.max(1, Math.min(to, end) - from);
        content.push(`<rect class="gap" x="${from}" y="${barTop}" width="${width}" height="${barHeight}"/>`);
      }
    }
    const bottom = groupTop + rows.length * 18;
    content.push(
      `<line class="mark" x1="${xOf(heldMs)}" y1="${groupTop}" x2="${xOf(heldMs)}" y2="${bottom}"/>`,
    );
    y = bottom + 8;
  }
  const axis = `<line class="axis" x1="${left}" y1="${y + 4}" x2="${left + chartWidth}" y2="${y + 4}"/>`;
  const ends = [0, wholeMs / 2, wholeMs].map(
    (ms) => `<text class="value soft" x="${xOf(ms)}" y="${y + 20}">${seconds(ms)}</text>`,
  );
  const key = 'From the fault on. Red: without traffic. Dashed: the fault was healed.';
  const legend = `<text class="soft" x="${margin}" y="${y + 44}">${key}</text>`;
  return svg({ width: left + chartWidth + margin + 24, height: y + 58 }, title, [
    ...content,
    axis,
    ...ends,
    legend,
  ]);
}
