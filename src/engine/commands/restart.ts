/** `lab restart`: stops a lab, and starts it again from its snapshot. */
import type { EngineContext } from '../core/engine-context.ts';
import { EngineError } from '../core/engine-error.ts';
import { sayUnlessQuiet, type Verbosity } from '../core/wording.ts';
import { readSnapshot } from '../lab/snapshot.ts';
import { labInDirectory, unknownInstance } from '../state/choose-lab.ts';
import { readRegistry } from '../state/lab-registry.ts';
import { downCommand } from './down.ts';
import { upCommand } from './up.ts';

interface RestartOptions extends Verbosity {
  readonly instance?: string;
  readonly snapshot: string;
}

export async function restartCommand(context: EngineContext, options: RestartOptions): Promise<void> {
  const { quiet, snapshot, instance } = options;
  const entries = await readRegistry(context.home);
  const entry = instance === undefined ? labInDirectory(entries, context.cwd)?.entry : entries.get(instance);
  if (instance !== undefined && entry === undefined) throw unknownInstance(instance);
  const there = { ...context, cwd: entry?.dir ?? context.cwd };
  // Before the lab is stopped: a lab that cannot be started again stays as it is.
  const lab = await readSnapshot(there.cwd, snapshot);
  const running = labInDirectory(entries, there.cwd);
  if (running !== undefined && running.instance !== lab.instance)
    throw new EngineError(
      `${snapshot} is a snapshot of lab instance ${lab.instance}, but ${running.instance} runs here: use "lab down" and "lab up"`,
    );
  await downCommand(there, { cleanup: false, force: false, dryRun: false, quiet });
  context.interrupted.throwIfAborted();
  sayUnlessQuiet(context, options)('Lab has been stopped, starting new instance\n');
  const origin = entry === undefined ? {} : { origin: entry.topology };
  await upCommand(there, {
    topology: { plugins: [], settings: [] },
    quiet,
    dryRun: false,
    snapshot,
    ...origin,
  });
}
