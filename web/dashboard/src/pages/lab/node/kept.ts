/**
 * The open terminals, commands and captures of a lab. They continue while another tab or node is shown, and end when the drawer is
 * closed or the user leaves the lab page.
 */
import { Store } from '../../../api/store.ts';
import type { CaptureSession } from './capture/capture-session.ts';
import type { RunSession } from './run/run-session.ts';
import type { TerminalSession } from './terminal/terminal-session.ts';

interface Kept {
  /** In the order of opening. */
  readonly terminals: Store<readonly TerminalSession[]>;
  /** By node. */
  readonly runs: Map<string, RunSession>;
  readonly captures: Map<string, CaptureSession>;
  /** The number of components that use it. */
  holders: number;
}

const labs = new Map<string, Kept>();

export function keptOf(lab: string): Kept {
  const known = labs.get(lab);
  if (known) return known;
  const fresh: Kept = { terminals: new Store([]), runs: new Map(), captures: new Map(), holders: 0 };
  labs.set(lab, fresh);
  return fresh;
}

/** The session of that node; `make` creates it the first time. */
export function ofNode<T>(known: Map<string, T>, node: string, make: () => T): T {
  const one = known.get(node) ?? make();
  known.set(node, one);
  return one;
}

function endAll(lab: string): void {
  const { terminals, runs, captures } = keptOf(lab);
  labs.delete(lab);
  for (const one of [...terminals.get(), ...runs.values(), ...captures.values()]) one.end();
  terminals.set([]);
}

/** Keeps the sessions until the returned function is called, and a moment longer: a drawer that is mounted again was not closed. */
export function hold(lab: string): () => void {
  const kept = keptOf(lab);
  kept.holders += 1;
  return () => {
    kept.holders -= 1;
    setTimeout(() => {
      if (kept.holders === 0 && labs.get(lab) === kept) endAll(lab);
    });
  };
}

/** The sessions that would end with the drawer, as words: `the terminal h1`. */
export function openIn(lab: string): readonly string[] {
  const { terminals, runs, captures } = keptOf(lab);
  const open = terminals.get().filter(({ state }) => state.get().kind !== 'ended');
  return [
    ...open.map(({ name }) => `the terminal ${name}`),
    ...[...runs].filter(([, run]) => run.isRunning).map(([node]) => `a command in ${node}`),
    ...[...captures].filter(([, capture]) => capture.isRunning).map(([node]) => `a capture in ${node}`),
  ];
}
