/** `lab exec --server URL LAB 'r*' -- COMMAND`: a command in many nodes, with the answers of equal nodes printed once. */
import type { ExecInNodesRequest, ExecInNodesResult, NodesAnswer } from '../../client/api-types.ts';
import type { LabApiClient } from '../../client/lab-api-client.ts';
import { EscapeStripper } from '../../lib/text/escape-stripper.ts';
import { nameRanges } from '../../lib/text/name-ranges.ts';
import { complain } from './ending.ts';
import { printJson } from './jobs.ts';
import { harmless } from './tables.ts';

/** As timeout(1) ends when the time is up. */
export const timeoutCode = 124;

/** Whether a word chooses many nodes by itself. A bare word may be a node, or else a group. */
export function choosesMany(word: string): boolean {
  return word === 'all' || word.startsWith('group:') || /[*?,[]/.test(word);
}

/** A newer service may have other reasons. */
const endings: Readonly<Record<string, string>> = { timeout: 'timed out', failed: 'not run' };

function headingOf({ nodes, exitCode, reason }: NodesAnswer): string {
  const how = exitCode === null ? (endings[reason] ?? harmless(reason)) : `exit ${exitCode}`;
  return `== ${harmless(nameRanges(nodes))} (${how})`;
}

/** A file gets the bytes; a terminal nothing that it would obey. */
function bodyOf({ output, error }: NodesAnswer, isRaw: boolean): string {
  const text = error === null ? output : harmless(error.detail);
  const shown = isRaw ? text : new EscapeStripper().strip(Buffer.from(text)).toString();
  return shown === '' || shown.endsWith('\n') ? shown : `${shown}\n`;
}

/** 0 if the command ended with 0 in all nodes, else the code of the first node in which it did not. */
function exitCodeOf({ nodes }: ExecInNodesResult): number {
  const bad = nodes.find(({ exitCode }) => exitCode !== 0);
  if (bad === undefined) return 0;
  return bad.exitCode ?? (bad.reason === 'timeout' ? timeoutCode : 1);
}

function tellMissing({ answers }: ExecInNodesResult): void {
  for (const { nodes, truncated } of answers)
    if (truncated) complain(`the output of ${nameRanges(nodes)} is too long, and was cut`);
}

interface Wanted {
  readonly client: LabApiClient;
  readonly lab: string;
  readonly request: ExecInNodesRequest;
  readonly signal: AbortSignal;
  readonly raw: boolean;
  readonly isJson: boolean;
}

/** Returns the exit code. */
export async function runInNodes({ client, lab, request, signal, raw, isJson }: Wanted): Promise<number> {
  const result = await client.execInNodes(lab, request, { signal });
  if (isJson) printJson(result);
  else
    for (const answer of result.answers)
      process.stdout.write(`${headingOf(answer)}\n${bodyOf(answer, raw || !process.stdout.isTTY)}`);
  tellMissing(result);
  return exitCodeOf(result);
}
