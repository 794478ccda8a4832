/** Turns an edit of a drawing into changes of the text, or says why it cannot. */
import type { Edit, TextChange } from './drawing.ts';
import { operationsFor } from './edit-operations.ts';
import { leftNames } from './left-names.ts';
import { editTheText, RefusedEdit } from './operation.ts';
import { formatOf, readTopology } from './read-topology.ts';
import { splice, textAfter } from './splice.ts';
import { isSame, treeAfter } from './tree.ts';
import { YamlText } from './yaml-text.ts';

export type EditResult =
  | {
      readonly kind: 'changes';
      readonly changes: readonly TextChange[];
      readonly text: string;
      /** A sentence for the user about names of a renamed or removed node that are left. */
      readonly note: string | undefined;
    }
  /** A sentence for the user. */
  | { readonly kind: 'refused'; readonly message: string };

function formerNames(edit: Edit): readonly string[] {
  if (edit.kind === 'rename-node') return edit.to === edit.name ? [] : [edit.name];
  return edit.kind === 'remove' ? edit.nodes : [];
}

/**
 * The changes are in the order of the text and do not overlap. They are compared with the edit before they are returned:
 * a text in which more would change, as where other parts share a value by an alias, refuses the edit.
 */
export function changesFor(path: string, text: string, edit: Edit): EditResult {
  const format = formatOf(path, text);
  const yaml = new YamlText(text, format);
  if (yaml.error) return { kind: 'refused', message: `correct line ${yaml.error.line} of the text first` };
  try {
    const operations = operationsFor({ yaml, topology: readTopology(yaml) }, edit);
    const changes = splice(yaml, operations);
    const after = textAfter(text, changes);
    const next = new YamlText(after, format);
    if (next.error || !isSame(next.tree, treeAfter(yaml, operations)))
      throw new RefusedEdit(`other parts of the file depend on this value: ${editTheText}`);
    return { kind: 'changes', changes, text: after, note: leftNames(formerNames(edit), next) };
  } catch (error) {
    if (error instanceof RefusedEdit) return { kind: 'refused', message: error.message };
    throw error;
  }
}
