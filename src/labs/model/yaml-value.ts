import { isCollection, visit, type Document } from 'yaml';

/**
 * The value of a document. A list or a map that is a key is refused: the library would write it as text, and again in each level
 * of keys around it, which takes seconds for some kilobytes.
 * @throws Error also when aliases stand for too many values.
 */
export function valueOf(document: Document): unknown {
  visit(document, {
    Pair: (_key, { key }) => {
      if (isCollection(key)) throw new Error('a key must be a word, not a list or a map');
    },
  });
  // Aliases may stand for billions of values.
  return document.toJS({ maxAliasCount: 100 });
}
