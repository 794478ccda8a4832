const announcement = /Cannot read YAML from (\S+): (.*)$/;
const markLine = /^ *in ".*", (line \d+, column \d+)$/;

/**
 * PyYAML says in up to four lines what it was doing, where that began, what it met and where
 * (`MarkedYAMLError.__str__`): what it met is the cause, and the last position the one to look at.
 */
export function yamlCause(lines: readonly string[]): readonly string[] {
  const start = lines.findLastIndex((line) => announcement.test(line));
  const [, file, first = ''] = announcement.exec(lines[start] ?? '') ?? [];
  if (file === undefined) return [];
  const text = [first];
  const marks: string[] = [];
  for (const line of lines.slice(start + 1, start + 5)) {
    const mark = markLine.exec(line)?.[1];
    if (mark !== undefined) marks.push(mark);
    else if (/^[a-z]/.test(line)) text.push(line);
    else break;
  }
  const context =
    text.length > 1 ? ` (${[first, marks.length > 1 && marks[0]].filter(Boolean).join(', ')})` : '';
  const position = marks.length === 0 ? '' : `, ${marks.at(-1)}`;
  return [`${file} cannot be read as YAML: ${text.at(-1)}${position}${context}`];
}
