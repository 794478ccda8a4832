import path from 'node:path';

/** Whether YAML 1.1, which netlab reads, takes a word that begins with a letter for text: not `null` and `yes`. */
async function isTextInYaml(word: string): Promise<boolean> {
  // The command line finds its lab CLI with this driver and needs no YAML, which takes longer to load than the rest.
  const { parse } = await import('yaml');
  const read: unknown = parse(word, { version: '1.1' });
  // The library takes `e1` for a number; none begins with a letter.
  return typeof read === 'string' || typeof read === 'number';
}

/**
 * What netlab would call a lab whose topology file lies in `directory` (netsim/augment/topology.py, name_from_path):
 * ASCII letters and digits, at most 12. With `--set` it wants a letter first, and text.
 */
export async function labNameFrom(directory: string): Promise<string> {
  const name = path
    .basename(directory)
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(0, 12);
  if (name === '') return 'default';
  const isText = /^[A-Za-z]/.test(name) && (await isTextInYaml(name));
  return isText ? name : `lab${name}`.slice(0, 12);
}
