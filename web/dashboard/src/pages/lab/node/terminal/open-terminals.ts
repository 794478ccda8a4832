import { keptOf } from '../kept.ts';
import { TerminalSession } from './terminal-session.ts';

/** Opens one more terminal in a node. */
export function openTerminal(lab: string, node: string): TerminalSession {
  const { terminals } = keptOf(lab);
  const names = new Set(terminals.get().map(({ name }) => name));
  let name = node;
  for (let count = 2; names.has(name); count += 1) name = `${node} (${count})`;
  const session = new TerminalSession({ lab, node, name });
  terminals.set([...terminals.get(), session]);
  return session;
}

/** Ends a terminal, and takes it off the list. */
export function closeTerminal(lab: string, session: TerminalSession): void {
  const { terminals } = keptOf(lab);
  terminals.set(terminals.get().filter((one) => one !== session));
  session.end();
}
