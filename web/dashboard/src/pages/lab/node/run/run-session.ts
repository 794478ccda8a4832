/** The commands of one node, with their output. They continue while another tab is shown. */
import type { ExecEndEvent } from '../../../../../../../src/client/api-types.ts';
import { client } from '../../../../api/service.ts';
import { Store } from '../../../../api/store.ts';
import type { Command } from './command-form.tsx';

export interface Run {
  readonly id: number;
  /** As typed. */
  readonly line: string;
  readonly startedMs: number;
  readonly output: string;
  /** Whether the beginning of the output was dropped. */
  readonly isCut: boolean;
  /** `canceled` means that the user has canceled it here. */
  readonly state:
    | { readonly kind: 'running' }
    | { readonly kind: 'ended'; readonly end: ExecEndEvent }
    | { readonly kind: 'canceled' }
    | { readonly kind: 'failed'; readonly error: unknown };
}

const maxRuns = 30;
/** Only the end of a long output is kept. */
const maxCharacters = 256 * 1024;
/** How often the page is drawn while a command prints. */
const drawMs = 100;

export class RunSession {
  /** Newest first. */
  readonly runs = new Store<readonly Run[]>([]);
  readonly #lab: string;
  readonly #node: string;
  #running: AbortController | undefined;
  #count = 0;

  constructor(lab: string, node: string) {
    this.#lab = lab;
    this.#node = node;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Runs a command to its end; one at a time. */
  async start({ line, words, timeoutSeconds }: Command): Promise<void> {
    if (this.#running) return;
    const running = new AbortController();
    this.#running = running;
    this.#count += 1;
    const run: Run = {
      id: this.#count,
      line,
      startedMs: Date.now(),
      output: '',
      isCut: false,
      state: { kind: 'running' },
    };
    this.runs.set([run, ...this.runs.get()].slice(0, maxRuns));
    const state = await this.#follow(run.id, { words, timeoutSeconds }, running.signal);
    this.#running = undefined;
    this.#change(run.id, () => ({ state }));
  }

  end(): void {
    this.#running?.abort();
  }

  async #follow(
    id: number,
    { words, timeoutSeconds }: Omit<Command, 'line'>,
    signal: AbortSignal,
  ): Promise<Run['state']> {
    const decoder = new TextDecoder();
    let unseen = '';
    let drawing: ReturnType<typeof setTimeout> | undefined;
    const draw = (): void => {
      clearTimeout(drawing);
      drawing = undefined;
      const fresh = unseen;
      unseen = '';
      if (fresh !== '') this.#change(id, (run) => grown(run, fresh));
    };
    const request = { command: words, timeoutSeconds };
    try {
      for await (const news of client.node(this.#lab, this.#node).run(request, { signal })) {
        if (news.kind === 'end') return { kind: 'ended', end: news.end };
        unseen = (unseen + decoder.decode(news.bytes, { stream: true })).slice(-maxCharacters);
        drawing ??= setTimeout(draw, drawMs);
      }
      return { kind: 'failed', error: new Error('the output ended early') };
    } catch (error) {
      return signal.aborted ? { kind: 'canceled' } : { kind: 'failed', error };
    } finally {
      draw();
    }
  }

  #change(id: number, change: (run: Run) => Partial<Run>): void {
    this.runs.set(this.runs.get().map((run) => (run.id === id ? { ...run, ...change(run) } : run)));
  }
}

function grown({ output, isCut }: Run, fresh: string): Partial<Run> {
  const all = output + fresh;
  return { output: all.slice(-maxCharacters), isCut: isCut || all.length > maxCharacters };
}
