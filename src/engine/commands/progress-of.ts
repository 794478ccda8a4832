/** The progress messages of `up`: a line at the start of a phase, and a line per second while a phase takes long. */
import type { Lab } from '../core/lab.ts';
import { counted, type Say } from '../core/wording.ts';
import type { ProgressOptions } from '../namespaces/phase-progress.ts';
import type { Phase } from '../namespaces/phases.ts';

const everyMs = 1_000;

interface Doing {
  readonly verb: 'Creating' | 'Configuring';
  readonly count: number;
  readonly noun: 'node' | 'link';
}

function doingIn(phase: Phase, lab: Lab): Doing {
  switch (phase.title) {
    case 'namespaces':
      return { verb: 'Creating', count: lab.nodes.length, noun: 'node' };
    case 'links':
      return { verb: 'Creating', count: lab.links.length, noun: 'link' };
    case 'nodes':
      return { verb: 'Configuring', count: lab.nodes.length, noun: 'node' };
  }
}

/**
 * Announces the phase (`Creating 900 links`); returns the progress option of `runPhase` (`Creating links: 312 of
 * 900`).
 */
export function progressOf(phase: Phase, lab: Lab, say: Say): ProgressOptions {
  const { verb, count, noun } = doingIn(phase, lab);
  say(`${verb} ${counted(count, noun)}\n`);
  return {
    everyMs,
    say: (fraction) => say(`${verb} ${noun}s: ${Math.floor(fraction * count)} of ${count}\n`),
  };
}
