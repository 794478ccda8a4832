/** Whether each word of a search is a part of one of the texts, in any case. */
export function hasWords(texts: readonly (string | null | undefined)[], search: string): boolean {
  const all = texts.join('\n').toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => all.includes(word));
}
