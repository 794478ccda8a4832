/** All shortcuts of the page, for people. */
import { places } from './places.ts';

export const shortcuts: readonly { readonly keys: readonly string[]; readonly what: string }[] = [
  { keys: ['Ctrl', 'K'], what: 'Search: pages, labs, nodes, jobs, workspaces, actions (⌘ K on a Mac)' },
  ...places.map(({ key, label }) => ({ keys: ['g', key], what: `Go to ${label}` })),
  { keys: ['?'], what: 'Show the keyboard shortcuts' },
  { keys: ['Esc'], what: 'Close what is open above the page' },
];
