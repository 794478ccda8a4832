/** `lab create`: computes a lab from a topology file, for `lab up --snapshot` to start. */
import type { EngineContext } from '../core/engine-context.ts';
import { snapshotName } from '../core/file-names.ts';
import { sayUnlessQuiet, sizeInWords, type Verbosity } from '../core/wording.ts';
import { computeLab, type TopologyArguments } from '../lab/compute-lab.ts';
import { writeSnapshot } from '../lab/snapshot.ts';

interface CreateOptions extends Verbosity {
  readonly topology: TopologyArguments;
}

export async function createCommand(context: EngineContext, options: CreateOptions): Promise<void> {
  const lab = await computeLab(context, options.topology);
  await writeSnapshot(context.cwd, lab);
  sayUnlessQuiet(context, options)(`Created ${snapshotName}: lab ${lab.name}, ${sizeInWords(lab)}\n`);
}
