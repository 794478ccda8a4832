/** Packets of an interface, as tcpdump(1) writes them into a file, or prints them. */
import { AppError, invalidField } from '../../lib/app-error.ts';
import { after } from '../../lib/async/disposal.ts';
import { checkInterface, missingProgram } from './interfaces.ts';
import type { RunningNodeProgram } from './node-program.ts';
import { startProgram, wayFailure, type NodeSession } from './node-session.ts';

export interface CaptureRequest {
  readonly ifname: string;
  /** pcap-filter(7); empty for all packets. */
  readonly filter: string;
  /** After so many it ends; undefined: when its time is up. */
  readonly packets: number | undefined;
  readonly timeMs: number;
  /** When it has more, it ends; undefined: 1 GiB. */
  readonly maxBytes?: number;
  /** Aborted when it is to end with its last packet whole. */
  readonly until?: AbortSignal;
  /** As many bytes of each packet. */
  readonly snaplen: number;
  /** Whether to give text in place of a file. */
  readonly isText?: boolean;
}

/** A capture has no more bytes than this, however many packets there are. */
const maxBytes = 1024 ** 3;

/** A capture that is over its limit by more than this is killed: tcpdump has not ended when it was asked to. */
const slackBytes = 1024 ** 2;

/** How long `tcpdump` may take to begin: it may ask a name server for what is in the filter. */
const beginMs = 15_000;

/** Each packet goes out as soon as it is there. */
const asFile = ['-U', '-w', '-'];
/** With the Ethernet header and the fields of protocols, and without the names of addresses. */
const asText = ['-l', '-n', '-e', '-v'];

function tcpdump({ ifname, filter, packets, snaplen, isText }: CaptureRequest): readonly string[] {
  return [
    'tcpdump',
    '-i',
    ifname,
    '--immediate-mode',
    ...(isText === true ? asText : asFile),
    '-s',
    String(snaplen),
    ...(packets === undefined ? [] : ['-c', String(packets)]),
    // Ends the options: a filter may begin with a dash.
    '--',
    ...(filter === '' ? [] : [filter]),
  ];
}

/** tcpdump tries to change to another user; a lab without privileges has root only. */
const saysNobodyElse = /couldn't change to '/i;

/** Why nothing is captured. */
function failure(node: string, { filter }: CaptureRequest, words: string): AppError {
  const missing = missingProgram('tcpdump', words);
  if (missing) return missing;
  const last = words.split('\n').at(-1) ?? '';
  if (saysNobodyElse.test(words))
    return new AppError(
      'not-supported',
      `tcpdump gives up the rights of root, which is not possible in a lab without privileges; run the service as root (${last})`,
    );
  // Libpcap has dozens of sentences about filters; these are those of numbers, names and the grammar.
  const isAboutFilter =
    /filter expression|syntax error|unknown (host|network|port|protocol)|expression rejected|overflow|illegal port number|greater than maximum/i;
  if (filter !== '' && isAboutFilter.test(words))
    return invalidField('filter', last.replace(/^tcpdump: /, ''));
  return new AppError('lab-cli-failed', `the capture on ${node} failed: ${last}`, {
    extra: { output: [last] },
  });
}

/** A capture that has enough is asked to end, so that its last packet is whole. */
async function* limited(running: RunningNodeProgram, most: number): AsyncGenerator<Buffer, void, void> {
  let size = 0;
  for await (const piece of running.output()) {
    size += piece.length;
    if (size > most) running.interrupt();
    if (size > most + slackBytes) running.stop();
    yield piece;
  }
}

/** The bytes of a pcap file, or of text, as they come. Resolves when the capture has begun. @throws AppError when it does not. */
export async function startCapture(
  session: NodeSession,
  request: CaptureRequest,
): Promise<AsyncIterable<Buffer>> {
  await checkInterface(session, request.ifname);
  const running = startProgram(session, tcpdump(request), false);
  const stopWaiting = after(beginMs, () => running.stop());
  // The head of the file comes before `tcpdump` has all that it needs.
  const isListening = await running.says('listening on');
  stopWaiting();
  if (isListening) {
    const stopTimer = after(request.timeMs, () => running.interrupt());
    const interrupt = (): void => running.interrupt();
    request.until?.addEventListener('abort', interrupt);
    if (request.until?.aborted === true) interrupt();
    void running.ended.then(() => {
      stopTimer();
      request.until?.removeEventListener('abort', interrupt);
    });
    return limited(running, request.maxBytes ?? maxBytes);
  }
  const end = await running.ended;
  if (!(await running.begun)) throw wayFailure(session.node, end);
  if (end.exitCode === null)
    throw new AppError('lab-cli-timeout', `the capture on ${session.node} did not begin in time`);
  throw failure(session.node, request, end.words);
}
