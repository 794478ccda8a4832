import path from 'node:path';

/** Absolute path of a child program in tests/fixtures/programs. */
export function fixtureProgram(name: string): string {
  return path.resolve(__dirname, '../fixtures/programs', name);
}
