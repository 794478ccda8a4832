import { takeTurn } from './turn.ts';

/**
 * Waits until no other test file has a lab of containers on this machine: netlab's default instance, its network and the
 * names of its containers are there once. The result gives the machine back.
 */
export async function takeLabServer(): Promise<() => void> {
  return takeTurn('lab-server');
}
