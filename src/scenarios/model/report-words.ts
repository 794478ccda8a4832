/** The words and lines in which a running scenario tells of faults; the service reads its log by them. */
import type { FaultReport, FlowPath, StreamLoss } from './scenario-report.ts';

export const seconds = (ms: number): string => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;

/** No loss says only that no outage was longer than the time between two probes. */
function outageWords({ lost, outageMs, periodMs, isAnswered }: StreamLoss): string {
  const time = lost === 0 ? `less than ${seconds(periodMs)}` : seconds(outageMs);
  return `${time} without traffic${isAnswered ? '' : ', not back'}`;
}

function lossLine(loss: StreamLoss): string {
  const { stream, sent, lost } = loss;
  return `${stream}: ${outageWords(loss)} (${lost} of ${sent} probes lost)`;
}

const hopWords = ({ hops, isWhole }: FlowPath): string =>
  [...hops.map((hop) => hop ?? '?'), ...(isWhole ? [] : ['no answer'])].join(', ');

/** A node that did not answer may be any node. */
const isSame = (one: FlowPath, other: FlowPath): boolean =>
  one.isWhole === other.isWhole &&
  one.hops.length === other.hops.length &&
  one.hops.every((hop, index) => hop === null || [null, hop].includes(other.hops[index] ?? null));

/** Where paths are measured. */
function pathLines({ pathsBefore, paths }: FaultReport): readonly string[] {
  return paths.flatMap((path, index) => {
    const before = pathsBefore[index];
    if (before === undefined) return [];
    const change = isSame(before, path) ? 'as before' : `before: ${hopWords(before)}`;
    return [`  ${path.stream} by ${hopWords(path)} (${change})`];
  });
}

const worstOf = (streams: readonly StreamLoss[]): StreamLoss | undefined =>
  streams.toSorted((a, b) => b.outageMs - a.outageMs)[0];

/** `PASS r1-r2 down (7.1 s): …`, and a line for each stream below it. */
export function faultLines(report: FaultReport): readonly string[] {
  const { fault, verdict, reasons, heldMs, healedMs, streams } = report;
  const word = { passed: 'PASS', failed: 'FAIL' }[verdict];
  const worst = worstOf(streams);
  const outcome =
    reasons.length > 0 ? reasons.join('; ') : worst === undefined ? '' : `longest outage: ${lossLine(worst)}`;
  return [
    `${word} ${fault} (${seconds(heldMs + (healedMs ?? 0))}): ${outcome}`,
    ...streams.map((loss) => `  ${lossLine(loss)}`),
    ...pathLines(report),
    ...report.afterHeal.filter(({ lost }) => lost > 0).map((loss) => `  after the heal, ${lossLine(loss)}`),
  ];
}

/** Without the `s` flag: names have no line breaks. The name may have parentheses: the last ones before the colon are the time. */
export const faultLine = /^(PASS|FAIL) (.+?) \((\d+\.\d+) s\): (.*)$/;
export const detailLine = /^ {2}(\S.*)$/;
export const endLine = /^All faults were run: /;
export const errorLine = /^error: (.*)$/;
