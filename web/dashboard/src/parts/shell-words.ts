/** A word for a shell, quoted if necessary. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** A list of arguments as a shell command. */
export function shellLine(words: readonly string[]): string {
  return words.map(shellWord).join(' ');
}

/** The request as a curl command, without credentials. */
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
