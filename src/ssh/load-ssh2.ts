import type * as Ssh2 from 'ssh2';

/** The package, which was written for `require`: Node and the bundle know it by `default`, a test by its names. */
export async function loadSsh2(): Promise<typeof Ssh2> {
  const loaded = (await import('ssh2')) as typeof Ssh2 & { readonly default?: typeof Ssh2 };
  return loaded.default ?? loaded;
}
