import { existsSync, readdirSync } from 'node:fs';

/** Names of the machine that stand for its labs: namespaces, and the claims of the bundled engine. */
const namesIn = (/** @type {string} */ directory) => (existsSync(directory) ? readdirSync(directory) : []);

/** A lab instance that is free on this machine, where users of lab-api often run labs of their own. */
export function freeInstance() {
  const taken = [...namesIn('/run/lab-engine'), ...namesIn('/run/netns')];
  const isFree = (/** @type {number} */ id) =>
    !taken.some((name) => name === String(id) || name.startsWith(`lab-${id}-`));
  const free = Array.from({ length: 200 }, (_, index) => index + 1).filter(isFree);
  // Any of them: two scripts that start together would take the same first one.
  const instance = free[Math.floor(Math.random() * free.length)];
  if (instance === undefined) throw new Error('there is no free lab instance');
  return instance;
}
