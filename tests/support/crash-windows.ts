/** Runs a scenario again and again, each time with a service that is killed one step later, and audits what is left. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { audit } from './crash-audit.ts';
import { Promises, type Task } from './crash-promises.ts';
import type { Client } from './client.ts';
import { makeGround, startProgram, type Ground } from './service.ts';
import { temporaryDirectory } from './temporary-directory.ts';

const keptStates = temporaryDirectory();

export interface Scenario {
  readonly name: string;
  readonly tasks: readonly Task[];
  readonly env?: Readonly<Record<string, string>>;
  /** What a service does undisturbed, before the one that is killed. */
  readonly prepare?: (client: Client, ground: Ground, promises: Promises) => Promise<void>;
  /** Variables of that service alone. */
  readonly prepareEnv?: Readonly<Record<string, string>>;
  /** All jobs of `prepare` have ended when it comes back: what it leaves on disk serves many windows. */
  readonly isPreparedOnce?: true;
  /** From one window to the next when only some are gone through; 3 by default. Long scenarios have some thirty steps. */
  readonly stride?: number;
  /** The steps of this scenario; the others are those of another one. All by default. */
  readonly only?: RegExp;
  /** Before the steps count. Without it, they count from the start of the service. */
  readonly before?: (client: Client, ground: Ground, promises: Promises) => Promise<void>;
  /** While the steps count. */
  readonly act: (client: Client, ground: Ground, promises: Promises) => Promise<void>;
}

interface Step {
  readonly number: number;
  readonly side: 'before' | 'after';
  readonly thorough: boolean;
}

export interface Window {
  /** What the service was about to do when it was killed; undefined when the scenario came to its end before. */
  readonly crash: string | undefined;
  readonly violations: readonly string[];
}

/** The service with tests/fixtures/crash-at.cjs; it is gone afterwards, in any case. */
async function runUntilCrash(scenario: Scenario, ground: Ground, promises: Promises, step: Step) {
  const mark = path.join(ground.root, 'mark');
  const note = path.join(ground.root, 'note');
  if (!scenario.before) writeFileSync(mark, '');
  const preload = path.join(__dirname, '..', 'fixtures', 'crash-at.cjs');
  const env = {
    ...scenario.env,
    NODE_OPTIONS: `--require=${preload}`,
    CRASH_MARK: mark,
    CRASH_NOTE: note,
    CRASH_AT: String(step.number),
    CRASH_SIDE: step.side,
    CRASH_ONLY: step.thorough ? '' : (scenario.only?.source ?? ''),
    CRASH_STEPS: step.thorough ? 'all' : '',
  };
  try {
    const program = await startProgram({ ground, env });
    try {
      await scenario.before?.(program, ground, promises);
      writeFileSync(mark, '');
      const crashed = program.run.exit;
      // Whoever waits for something of the service waits in vain once it has crashed.
      await Promise.race([scenario.act(program, ground, promises), crashed.then(() => undefined)]);
    } finally {
      await program.end('SIGKILL');
      await promises.settle();
    }
  } catch (error) {
    if (!existsSync(note)) throw error;
  }
  return existsSync(note) ? readFileSync(note, 'utf8') : undefined;
}

interface Beginning {
  readonly ground: Ground;
  /** What the client was promised on it. */
  readonly promises: Promises;
}

async function prepared({ tasks, prepare, prepareEnv = {} }: Scenario): Promise<Beginning> {
  const ground = makeGround();
  const promises = new Promises();
  for (const name of new Set(tasks.map(({ workdir }) => workdir)))
    if (name !== undefined) ground.makeWorkdir(name);
  if (prepare) {
    // A program: what would be left of a service in this process writes the end of a running job, beside the next service.
    const program = await startProgram({ ground, env: prepareEnv });
    await prepare(program, ground, promises);
    await program.end('SIGTERM');
  }
  return { ground, promises };
}

/**
 * Gives ground for one window after the other: fresh one, or the same in the state in which `prepare` left it. It has to be
 * in the same place, because job records name their directories.
 */
export async function grounds(scenario: Scenario): Promise<() => Promise<Beginning>> {
  if (!scenario.isPreparedOnce) return async () => prepared(scenario);
  const { ground, promises } = await prepared(scenario);
  const kept = mkdtempSync(path.join(keptStates, 'state-'));
  execFileSync('cp', ['-a', `${ground.root}/.`, kept]);
  return async () => {
    rmSync(ground.root, { recursive: true });
    execFileSync('cp', ['-a', kept, ground.root]);
    return { ground, promises: promises.copy() };
  };
}

/** Runs the scenario with a crash at that step. */
export async function openWindow(
  scenario: Scenario,
  step: Step,
  { ground, promises }: Beginning,
): Promise<Window> {
  const crash = await runUntilCrash(scenario, ground, promises, step);
  return { crash, violations: await audit(scenario, ground, promises) };
}
