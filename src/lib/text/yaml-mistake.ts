/** Mistakes in YAML in plain words. The messages of the parser have the terms of its grammar. */

const sentences: readonly (readonly [RegExp, string])[] = [
  [
    /^Implicit (?:map )?keys (?:of flow sequence pairs )?need/,
    'not a key with a value: a colon, a comma or an indent may be missing',
  ],
  [/^Nested mappings/, 'a second colon in this value, or the next line is indented too far'],
  [
    /^(?:All (?:mapping|sequence) items|A block sequence may not be used as an implicit map key)/,
    'the line is indented more or less than the others around it',
  ],
  [
    /^Flow (?:map|sequence).* end with a (.)$/,
    'a $1 is missing, or a line in the brackets is not indented enough, with spaces',
  ],
  [/^Missing , or :/, 'a comma or a colon is missing'],
  [/^Missing , /, 'a comma is missing'],
  [
    /^Unexpected \S+ at node end/,
    'text after the end of a value: a comma, quotes or an indent may be missing',
  ],
  [/^Unexpected flow-(?:seq|map)-end/, 'this closing bracket has no opening one'],
  [/^Sequence item without -/, 'a "-" is missing: the other lines of the list have one'],
  [/^Block collections are not allowed/, 'brackets may not contain indented keys, or lists with "-"'],
  [/^Missing closing/, 'a closing quote is missing, or a line in the quotes is not indented'],
  [/^Block scalar header/, 'text after | or > must begin in the next line'],
  [/^A node can have at most one (\S+)/, 'a value can have only one $1'],
  [/^Source contains multiple documents/, 'only one YAML document is allowed: "---" begins another'],
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

interface YamlError {
  readonly message: string;
  readonly pos: readonly [number, number];
}

interface LineCounter {
  linePos(offset: number): { readonly line: number; readonly col: number };
}

/** The same with the place, from the error of a parser that makes no excerpts (`prettyErrors: false`): these take long. */
export function placedYamlMistake({ message, pos }: YamlError, lines: LineCounter): string {
  const { line, col } = lines.linePos(pos[0]);
  return `${yamlMistake(message)} at line ${line}, column ${col}`;
}
