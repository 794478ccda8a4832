import path from 'node:path';

/** Whether YAML 1.1, which netlab reads, takes a word for text: it does not with `null`, `yes` and `2024`. */
async function isTextInYaml(word: string): Promise<boolean> {
  // The command line finds its lab CLI with this driver and needs no YAML, which takes longer to load than the rest.
  const { parse } = await import('yaml');
  return typeof parse(word, { version: '1.1' }) === 'string';
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
