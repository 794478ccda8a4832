import { useState, type KeyboardEvent } from 'react';

interface Draft {
  readonly owner: string;
  readonly text: string;
  readonly problem?: string;
}

/**
 * The text of a field while it is typed. It becomes an edit with Enter or when the field loses the focus, and Escape gives the old
 * text back. `commit` returns the reason of a refusal: the typed text stays then. A draft is about its `owner` only.
 */
export function useDraft(
  owner: string,
  text: string,
  commit: (text: string) => string | undefined,
  onEnter?: () => void,
) {
  const [kept, setDraft] = useState<Draft>();
  const draft = kept?.owner === owner ? kept : undefined;
  const shown = draft?.text ?? text;
  const finish = (wanted: string): void => {
    const problem = wanted.trim() === text ? undefined : commit(wanted.trim());
    setDraft(problem === undefined ? undefined : { owner, text: wanted, problem });
  };
  return {
    text: shown,
    isTyped: draft !== undefined,
    problem: draft?.problem,
    type: (typed: string): void => setDraft({ owner, text: typed }),
    finish,
    /** For an input. */
    handlers: {
      onBlur: (): void => finish(shown),
      onKeyDown: (event: KeyboardEvent<HTMLElement>): void => {
        // An open list of suggestions uses these keys first.
        const list = document.getElementById(event.currentTarget.getAttribute('aria-controls') ?? '');
        const isOpen = list !== null;
        const isChoosing = isOpen && list.querySelector('[data-combobox-selected]') !== null;
        if (event.key === 'Enter' && !isChoosing) {
          finish(shown);
          onEnter?.();
        }
        if (event.key !== 'Escape' || draft === undefined || isOpen) return;
        event.stopPropagation();
        setDraft(undefined);
      },
    },
  };
}

interface Refused {
  readonly owner: string;
  readonly problem: string | undefined;
  /** Tells two equal refusals apart: as a key, it has both of them spoken. */
  readonly nr: number;
}

/** The reason why the last change of a field was refused, for fields whose changes are complete at once. */
export function useRefusal(owner: string) {
  const [kept, keep] = useState<Refused>({ owner, problem: undefined, nr: 0 });
  return {
    problem: kept.owner === owner ? kept.problem : undefined,
    nr: kept.nr,
    note: (problem: string | undefined): void => keep(({ nr }) => ({ owner, problem, nr: nr + 1 })),
  };
}
