/** The failures of programs that netlab runs (containerlab, docker, vagrant). */
import { isErrorReport } from './reported-errors.ts';

/** `15:04:05 ERRO text`, `ERRO[0001] text`, `Error: text`, `docker: Error response from daemon: text`. */
const errorLine =
  /^(?:[\d:]+ )?(?:(?:ERRO|FATA|ERROR|FATAL)(?:\[\d+\])?\s+|(?:docker: )?(?:Error|error|panic):\s*|docker: Error response from daemon: )(.+)$/;

const missingImage: readonly RegExp[] = [
  /Unable to find image '([^']+)' locally/,
  /(?:No such image|no such image): (\S+)/,
  /pull access denied for ([^\s,]+)/,
  /manifest for (\S+) not found/,
];

function imageIn(line: string): string | undefined {
  return missingImage.map((words) => words.exec(line)?.[1]).find((image) => image !== undefined);
}

/** A container image that is neither on this machine nor to be had; why, when docker said it. */
export function missingImages(lines: readonly string[]): readonly string[] {
  const images = new Set(lines.flatMap((line) => imageIn(line) ?? []));
  if (images.size === 0) return [];
  const refusal = lines.findLast((line) => line.includes('Error response from daemon: '));
  const why = refusal?.slice(refusal.indexOf('daemon: ') + 'daemon: '.length);
  const names = [...images].map((image) => image.replace(/[.,;:]+$/, '')).join(', ');
  return [
    `there is no container image ${names} on this machine${why === undefined ? '' : `, and it cannot be pulled: ${why}`}`,
  ];
}

/** The command that netlab gave up on, with what its program complained of after it was started. */
export function failedCommand(lines: readonly string[], closing: string | undefined): readonly string[] {
  const command = /^Fatal error in netlab[\w ]*: (.*) failed, aborting\.\.\.$/.exec(closing ?? '')?.[1];
  if (command === undefined) return [];
  const started = lines.findLastIndex((line) => line.endsWith(`executing ${command}`));
  const complaints = lines
    .slice(started + 1)
    .filter((line) => !isErrorReport(line))
    .flatMap((line) => errorLine.exec(line)?.[1] ?? []);
  return complaints.length === 0 ? [] : [`${command} failed: ${[...new Set(complaints)].join('; ')}`];
}

/** A script that configures a node in its container: what it printed last stands, indented, above netlab's word. */
export function failedScripts(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line, index) => {
    const [, script, node] =
      /^FatalError in \w+: (\S+) configuration .*failed for node (\S+)$/.exec(line) ?? [];
    if (script === undefined) return [];
    const last = lines[index - 1] ?? '';
    const why = /^ +(?!\[INFO\])\S/.test(last) ? `: ${last.trim()}` : '';
    return [`the ${script} configuration of node ${node} failed${why}`];
  });
}
