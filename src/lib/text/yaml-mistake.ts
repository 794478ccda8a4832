/** Mistakes in YAML in the words of people who write files: the parser has those of its grammar. */

const sentences: readonly (readonly [RegExp, string])[] = [
  [/^Implicit (?:map )?keys need/, 'a colon seems to be missing after this word'],
  [/^Nested mappings/, 'a second colon in one line: put the value in quotes, or in lines of its own'],
  [/^All (?:mapping|sequence) items/, 'the line is indented more or less than the others around it'],
  [/^Flow (?:map|sequence).* end with a (.)$/, 'a $1 is missing, or a line in the brackets is not indented'],
  [/^Missing , /, 'a comma is missing'],
  [/^Missing closing/, 'a closing quote is missing'],
  [/^Plain value cannot start with .* (\S)$/, 'a value that begins with $1 must be in quotes'],
  [/^Comments must be separated/, 'a space is missing before the #'],
];

/** The sentence for a message of the parser; that message if there is no other. */
export function yamlMistake(message: string): string {
  for (const [pattern, sentence] of sentences) {
    const found = pattern.exec(message);
    if (found) return sentence.replace('$1', found[1] ?? '');
  }
  return message;
}
