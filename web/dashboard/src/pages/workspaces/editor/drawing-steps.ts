/** Edits of a drawing in the history of its text: Undo says what it takes back, and moved boxes are part of it. */
import { invertedEffects, isolateHistory } from '@codemirror/commands';
import { StateEffect, type Extension, type TransactionSpec } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { Positions } from '../../../../../../src/labs/picture/picture.ts';
import { Store } from '../../../api/store.ts';

export interface DrawingStep {
  /** Such as `link r1–r2 added`. */
  readonly words: string;
  /** The places of moved boxes before and after it. */
  readonly moved?: { readonly from: Positions; readonly to: Positions };
}

const stepEffect = StateEffect.define<DrawingStep>();

/** A transaction that is one step of the history, with these changes of the text. */
export const asStep = (step: DrawingStep, changes: TransactionSpec['changes'] = []): TransactionSpec => ({
  changes,
  effects: stepEffect.of(step),
  annotations: isolateHistory.of('full'),
});

export interface TakenBack {
  readonly view: EditorView;
  readonly kind: 'undo' | 'redo';
  /** Undefined for an edit by typing. */
  readonly words: string | undefined;
  /** The places that boxes have now. */
  readonly places: Positions;
}

/** The last use of Undo or Redo that no drawing has followed yet: without a drawing, several are one. */
export const takenBack = new Store<TakenBack | undefined>(undefined);

const inverse = ({ words, moved }: DrawingStep): DrawingStep => ({
  words,
  ...(moved && { moved: { from: moved.to, to: moved.from } }),
});

const stepsIn = (effects: readonly StateEffect<unknown>[]): DrawingStep[] =>
  effects.flatMap((effect) => (effect.is(stepEffect) ? [effect.value] : []));

export const drawingSteps: Extension = [
  invertedEffects.of(({ effects }) => stepsIn(effects).map((step) => stepEffect.of(inverse(step)))),
  EditorView.updateListener.of(({ view, transactions }) => {
    for (const transaction of transactions) {
      const kind = (['undo', 'redo'] as const).find((event) => transaction.isUserEvent(event));
      if (!kind) continue;
      const steps = stepsIn(transaction.effects);
      const before = takenBack.get();
      const places = Object.assign({}, ...steps.map(({ moved }) => moved?.to)) as Positions;
      takenBack.set({
        view,
        kind,
        words: steps[0]?.words,
        places: { ...(before?.view === view && before.places), ...places },
      });
    }
  }),
];
