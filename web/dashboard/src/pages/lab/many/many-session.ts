/** A command in many nodes of a lab, with its progress and its answers. */
import type { ExecInNodesResult } from '../../../../../../src/client/api-types.ts';
import { client } from '../../../api/service.ts';
import { Store } from '../../../api/store.ts';
import type { Command } from '../node/run/command-form.tsx';

type ManyState =
  | { readonly kind: 'idle' | 'canceled' }
  /** Of `total` nodes; null until the first one is done. */
  | { readonly kind: 'running'; readonly done: number; readonly total: number | null }
  | { readonly kind: 'ended'; readonly line: string; readonly result: ExecInNodesResult }
  | { readonly kind: 'failed'; readonly error: unknown };

export class ManySession {
  readonly state = new Store<ManyState>({ kind: 'idle' });
  readonly #lab: string;
  #running: AbortController | undefined;

  constructor(lab: string) {
    this.#lab = lab;
  }

  /** Runs a command to its end in all nodes; one at a time. */
  async start(nodes: readonly string[], { line, words, timeoutSeconds }: Command): Promise<void> {
    if (this.#running) return;
    const running = new AbortController();
    const { signal } = running;
    this.#running = running;
    this.state.set({ kind: 'running', done: 0, total: null });
    const [first = 'all', ...more] = nodes;
    const request = { nodes: [first, ...more] as [string, ...string[]], command: words, timeoutSeconds };
    const onProgress = ({ done, total }: { readonly done: number; readonly total: number }): void =>
      this.state.set({ kind: 'running', done, total });
    try {
      const result = await client.execInNodes(this.#lab, request, { signal, onProgress });
      this.state.set({ kind: 'ended', line, result });
    } catch (error) {
      this.state.set(signal.aborted ? { kind: 'canceled' } : { kind: 'failed', error });
    } finally {
      this.#running = undefined;
    }
  }

  end(): void {
    this.#running?.abort();
  }
}
