/** Labs of the bundled engine that are taken down when the test file is done, whatever its tests did. */
import { afterAll, expect, type test } from '@jest/globals';
import path from 'node:path';
import type { Lab } from '../../src/engine/core/lab.ts';
import { lab, leftovers, missingForLabs, placeFor, uniqueInstance, type Place } from './engine-cli.ts';
import { handMadeLab } from './engine-lab.ts';
import { testUnless } from './requirements.ts';
import { temporaryDirectory } from './temporary-directory.ts';

/** A ring of routers with static routes: traffic between the hosts has one way, r1-r2. */
export const ringTopology = `defaults.device: linux
nodes: { r1: { role: router }, r2: { role: router }, r3: { role: router }, h1: , h2: }
links: [ r1-r2, r2-r3, r3-r1, h1-r1, h2-r2 ]
`;

/** Who starts the labs. */
interface Starter {
  /** Why labs cannot be started here; undefined when they can. */
  readonly missing: string | undefined;
  /** A command that starts others, with other rights say. */
  readonly prefix?: readonly string[];
}

interface StartedLab {
  readonly where: Place;
  readonly instance: string;
}

interface Prepared extends StartedLab {
  readonly made: Lab;
}

interface PreparedLabs {
  /** Why the tests are skipped, as a part of their names; empty where they run. */
  readonly because: string;
  readonly it: typeof test | typeof test.skip;
  readonly root: string;
  /** The state directory of every lab that is given no other. */
  readonly home: string;
  /** Puts a lab on the list of those to take down. */
  readonly takeDownLater: (started: StartedLab) => void;
  /** Writes the snapshot of a lab into a directory of its own; the lab is taken down later. */
  readonly placed: (made: Lab, home?: string) => Place;
  /** The same with a lab by hand, whose instance nobody else has. */
  readonly prepared: (label: string, spec: Parameters<typeof handMadeLab>[0], home?: string) => Prepared;
}

/** Call once in a test file, or in a `describe`; the labs are taken down when it is done. */
export function preparedLabs({ missing, prefix }: Starter = { missing: missingForLabs() }): PreparedLabs {
  const started: StartedLab[] = [];
  // Before the directory is removed: hooks run in the order in which they are registered.
  afterAll(async () => {
    if (missing !== undefined) return;
    for (const { where, instance } of started)
      // In a user namespace, a lab may exist without a trace outside.
      if (prefix !== undefined || leftovers(where, instance).length > 0)
        await lab(where, ['down', '--force', '--instance', instance], prefix);
    expect(started.flatMap(({ where, instance }) => leftovers(where, instance))).toEqual([]);
  });
  const root = temporaryDirectory();
  const commonHome = path.join(root, 'home');
  const placed = (made: Lab, home = commonHome): Place => {
    const where = { ...placeFor(root, made), home };
    started.push({ where, instance: made.instance });
    return where;
  };
  return {
    ...testUnless(missing),
    root,
    home: commonHome,
    takeDownLater: (one) => void started.push(one),
    placed,
    prepared: (label, spec, home) => {
      const made = handMadeLab({ ...spec, instance: uniqueInstance(label) });
      return { instance: made.instance, made, where: placed(made, home) };
    },
  };
}
