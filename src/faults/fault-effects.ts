/** How each kind of fault is set in a node, and healed. */
import { AppError } from '../lib/app-error.ts';
import type { Fault, FaultKind } from '../labs/model/fault.ts';
import { readInterfaces, endSilence, setDown, setUp, silence } from '../labs/nodes/cut-interfaces.ts';
import type { SavedInterface } from '../labs/nodes/cut-interfaces.ts';
import { getImpairment, putImpairment, removeImpairment } from '../labs/nodes/impairment.ts';
import type { NodeSession } from '../labs/nodes/node-session.ts';
import {
  assertProcesses,
  killProcess,
  pauseProcesses,
  resumeProcesses,
} from '../labs/nodes/stop-processes.ts';

type Cause = Pick<Fault, 'process' | 'impairment'>;

interface FaultEffect {
  /** Reads the state that healing restores. @throws AppError when the fault cannot be set. */
  readonly read: (
    session: NodeSession,
    names: readonly string[],
    cause: Cause,
  ) => Promise<readonly SavedInterface[]>;
  readonly set: (session: NodeSession, names: readonly string[], cause: Cause) => Promise<void>;
  /**
   * Another fault keeps the interfaces of `held` as they are.
   * @returns a sentence about what did not come back, or an empty one.
   */
  readonly heal: (
    session: NodeSession,
    saved: readonly SavedInterface[],
    held: readonly string[],
  ) => Promise<string>;
  /** Healing brings back what the kernel drops. */
  readonly restores?: true;
  /** It happens once, and is not to happen again when a job has changed the node. */
  readonly isOnce?: true;
}

/** The state of interfaces whose addresses and routes stay. */
async function readNames(session: NodeSession, names: readonly string[]): Promise<readonly SavedInterface[]> {
  const found = await readInterfaces(session, names);
  return found.map(({ name }) => ({ name, isUp: true, addresses: [], routes: [] }));
}

const cut: FaultEffect = { read: readInterfaces, set: setDown, heal: setUp, restores: true };

const namesOf = (saved: readonly SavedInterface[]): readonly string[] => saved.map(({ name }) => name);

export const effects: Readonly<Record<FaultKind, FaultEffect>> = {
  down: cut,
  isolated: cut,
  silent: {
    read: readNames,
    set: silence,
    heal: async (session, saved) => {
      await endSilence(session, namesOf(saved));
      return '';
    },
  },
  impaired: {
    read: async (session, names) => {
      for (const name of names)
        if ((await getImpairment(session, name)) !== undefined)
          throw new AppError(
            'conflict',
            `${name} of ${session.node} is impaired already: end that first, as the fault would not bring it back`,
          );
      return readNames(session, names);
    },
    set: async (session, names, { impairment }) => {
      if (impairment) for (const name of names) await putImpairment(session, name, impairment);
    },
    heal: async (session, saved) => {
      for (const { name } of saved)
        await removeImpairment(session, name).catch((error: unknown) => {
          if (!(error instanceof AppError && error.code === 'interface-not-found')) throw error;
        });
      return '';
    },
  },
  paused: {
    read: async (session) => {
      await assertProcesses(session, null);
      return [];
    },
    set: pauseProcesses,
    heal: async (session) => {
      await resumeProcesses(session);
      return '';
    },
  },
  killed: {
    read: async (session, _names, { process }) => {
      await assertProcesses(session, process);
      return [];
    },
    set: async (session, _names, { process }) => killProcess(session, process ?? ''),
    // The node itself starts a process again, as watchfrr(8) does.
    heal: async () => Promise.resolve(''),
    isOnce: true,
  },
};
