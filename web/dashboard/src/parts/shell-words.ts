/** A word as a shell reads it: in quotes when it needs them. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A list of arguments as one writes it into a shell. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The request once more, as a line for a shell. Who asks, and with which password, is for the one who runs it to add. */
export function curlLine(url: string, request: unknown): string {
  return shellLine([
    'curl',
    '-X',
    'POST',
    `${url}/jobs`,
    '-H',
    'Content-Type: application/json',
    '-d',
    JSON.stringify(request),
  ]);
}
