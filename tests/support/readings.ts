import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The variables that a reader found in a file, or that it refused the file. */
type Reading = Readonly<Record<string, string>> | 'refused';

interface ReadFile {
  readonly text: string;
  readonly systemd: Reading;
  readonly node: Reading;
  readonly compose: Reading;
  readonly docker: Reading;
}

const fixture = path.resolve(import.meta.dirname, '../fixtures/settings/readings.json');

/** Small files of variables, and what the real readers made of each; the fixture says which these were. */
export const readings = (JSON.parse(readFileSync(fixture, 'utf8')) as { files: readonly ReadFile[] }).files;
