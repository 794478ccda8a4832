import type { ClaimedSuccess } from '../lab-driver.ts';

/**
 * The containers that are left of a lab, for a person; undefined when none was seen. Stopped ones too: `destroy` removes them.
 * Where Docker is not there, or not to be asked, nothing is seen, and that proves nothing either way.
 */
export async function remainsOfLab({
  instance,
  look,
}: Pick<ClaimedSuccess, 'instance' | 'look'>): Promise<string | undefined> {
  if (instance === null) return undefined;
  const list = ['ps', '--all', '--filter', `label=containerlab=${instance}`, '--format', '{{.Names}}'];
  const { exitCode, stdout } = await look('docker', list);
  const names =
    exitCode === 0
      ? stdout
          .toString('utf8')
          .split('\n')
          .filter((name) => name !== '')
      : [];
  return names.length === 0 ? undefined : `the containers ${names.join(', ')}`;
}
