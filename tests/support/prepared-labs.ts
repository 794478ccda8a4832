/** Labs of the bundled engine that are taken down when the test file is done, whatever its tests did. */
import { afterAll, expect, test } from '@jest/globals';
import type { Lab } from '../../src/engine/core/lab.ts';
import { lab, leftovers, missingForLabs, placeFor, uniqueInstance, type Place } from './engine-cli.ts';
import { handMadeLab } from './engine-lab.ts';
import { temporaryDirectory } from './temporary-directory.ts';

interface Prepared {
  readonly instance: string;
  readonly made: Lab;
  readonly where: Place;
}

interface PreparedLabs {
  /** Why the tests of this file are skipped, as a part of their names; empty where they run. */
  readonly because: string;
  readonly it: typeof test | typeof test.skip;
  readonly root: string;
  /** Each is in the file's list of labs to take down. */
  readonly started: [Place, string][];
  readonly prepared: (label: string, spec: Parameters<typeof handMadeLab>[0]) => Prepared;
}

/** Call once in a test file. */
export function preparedLabs(): PreparedLabs {
  const missing = missingForLabs();
  const started: [Place, string][] = [];
  // Before the directory is removed: hooks run in the order in which they are registered.
  afterAll(async () => {
    for (const [where, instance] of started) await lab(where, ['down', '--force', '--instance', instance]);
    expect(started.flatMap(([where, instance]) => leftovers(where, instance))).toEqual([]);
  });
  const root = temporaryDirectory();
  return {
    because: missing === undefined ? '' : ` (skipped: ${missing})`,
    it: missing === undefined ? test : test.skip,
    root,
    started,
    prepared: (label, spec) => {
      const instance = uniqueInstance(label);
      const made = handMadeLab({ ...spec, instance });
      const where = placeFor(root, made);
      started.push([where, instance]);
      return { instance, made, where };
    },
  };
}
