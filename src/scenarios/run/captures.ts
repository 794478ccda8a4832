/** Keeps the packets of interfaces, while a scenario runs, in files of its job. */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { startCapture } from '../../labs/nodes/capture.ts';
import { messageOf } from '../../lib/app-error.ts';
import { captureFile, type PlannedCapture } from '../model/scenario-plan.ts';
import type { Way } from './probe.ts';

const maxBytes = 64 * 1024 * 1024;
const snaplen = 262_144;
const fileMode = 0o600;
const directoryMode = 0o700;

interface CaptureDeps {
  readonly wayTo: (node: string) => Promise<Way>;
  readonly directory: string;
  readonly say: (line: string) => void;
}

/**
 * Resolves when all of them have begun, with a function that ends them and resolves when their files are whole.
 * @throws Error when one cannot begin; none is left then.
 */
export async function startCaptures(
  captures: readonly PlannedCapture[],
  { wayTo, directory, say }: CaptureDeps,
): Promise<() => Promise<void>> {
  const end = new AbortController();
  const kept: Promise<void>[] = [];
  const stop = async (): Promise<void> => {
    end.abort();
    await Promise.all(kept);
  };
  if (captures.length > 0) await mkdir(directory, { recursive: true, mode: directoryMode });
  try {
    for (const { node, ifname, filter } of captures) {
      const session = {
        ...(await wayTo(node)),
        node,
        signal: new AbortController().signal,
        leave: () => undefined,
      };
      const limits = {
        packets: undefined,
        timeMs: Number.MAX_SAFE_INTEGER,
        maxBytes,
        snaplen,
        until: end.signal,
      };
      const packets = await startCapture(session, { ifname, filter, ...limits });
      const file = captureFile({ node, ifname });
      const target = createWriteStream(path.join(directory, file), { mode: fileMode });
      const keep = async (): Promise<void> => {
        await pipeline(packets, target);
        if (!end.signal.aborted) say(`warning: ${file} ends here: it has 64 MiB, or the interface is gone`);
      };
      kept.push(keep().catch((error: unknown) => say(`warning: ${file} is not whole: ${messageOf(error)}`)));
    }
    return stop;
  } catch (error) {
    await stop();
    throw error;
  }
}
