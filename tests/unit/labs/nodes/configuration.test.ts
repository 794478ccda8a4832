/** Programs right here that print the configuration of a node, or fail to. */
import { describe, expect, test } from '@jest/globals';
import { readConfiguration } from '../../../../src/labs/nodes/configuration.ts';
import { containerConfiguration } from '../../../../src/labs/drivers/container-configuration.ts';
import { eventually } from '../../../support/eventually.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { sessionHere } from '../../../support/session-here.ts';

const sh = (script: string) => ({ inside: [], program: ['sh', '-c', script] });
const long = { timeMs: 600_000, maxBytes: 10 };

describe('a configuration', () => {
  test('is what is printed on standard output, and gives its place back', async () => {
    const { session, placesGivenBack } = sessionHere();
    const script = sh(String.raw`echo warning >&2; printf 'a\377b'`);
    expect((await readConfiguration(session, script)).toString('latin1')).toBe('a\u00FFb');
    expect(placesGivenBack()).toBe(1);
  });

  test('may be as long as the limit and no longer; the program ends there', async () => {
    const { session, processes, placesGivenBack } = sessionHere();
    expect(await readConfiguration(session, sh('printf 0123456789'), long)).toHaveLength(10);
    expect(await failureOf(readConfiguration(session, sh('yes'), long))).toMatchObject({
      code: 'not-supported',
      message: 'the configuration of the node r1 has more than 10 bytes',
    });
    expect(placesGivenBack()).toBe(2);
    await eventually('nothing is left', () => processes().length === 0);
  });

  test('that does not come in time is no configuration, and nothing stays behind', async () => {
    const { session, processes } = sessionHere();
    const hangs = readConfiguration(session, sh('echo half; exec sleep 1000'), { timeMs: 200, maxBytes: 10 });
    expect(await failureOf(hangs)).toMatchObject({ code: 'lab-cli-timeout' });
    await eventually('nothing is left', () => processes().length === 0);
  });

  test('is not waited for when the service stops', async () => {
    const { session, abort, processes } = sessionHere();
    const hangs = failureOf(readConfiguration(session, sh('exec sleep 1000')));
    await eventually('it runs', () => processes().length > 0);
    abort.abort();
    expect(await hangs).toMatchObject({ code: 'shutting-down' });
    await eventually('nothing is left', () => processes().length === 0);
  });

  test('of a node that is not reached is none', async () => {
    const { session } = sessionHere({ way: ['sh', '-c', 'echo "No such container: r1" >&2; exit 1'] });
    expect(await failureOf(readConfiguration(session, sh('true')))).toMatchObject({ code: 'lab-not-up' });
  });
});

describe('a container', () => {
  const failed = async (device: string, script: string) => {
    const { session } = sessionHere();
    const { whyNone } = containerConfiguration('r1', device, []);
    return failureOf(readConfiguration(session, { ...sh(script), ...(whyNone && { whyNone }) }));
  };

  test.each([
    ['echo "Exiting: failed to connect to any daemons." >&2; exit 1'],
    ['echo "sh: 1: exec: vtysh: not found" >&2; exit 127'],
  ])('of Linux without a routing daemon has no configuration: %s', async (script) => {
    expect(await failed('linux', script)).toMatchObject({
      code: 'not-supported',
      message: 'r1 runs no routing daemon, so it has no configuration to read',
    });
    expect(await failed('frr', script)).toMatchObject({ code: 'lab-cli-failed' });
  });

  test.each([
    ['frr', 'vtysh -c show running-config no-header'],
    ['linux', 'vtysh -c show running-config no-header'],
    ['eos', 'Cli -p 15 -c show running-config'],
    ['nokia_srlinux', 'sr_cli info from running'],
    ['crpd', 'cli show configuration'],
    ['vyos', '/bin/vbash -cil show configuration commands'],
  ])('of %s is asked with %s', (device, words) => {
    const { inside, program } = containerConfiguration('r1', device, ['docker', 'exec', 'r1']);
    expect([inside.join(' '), program.join(' ')]).toEqual(['docker exec r1', words]);
  });

  test('of another device says how its configuration is had', () => {
    expect(() => containerConfiguration('r1', 'iosxr', [])).toThrow(
      'the command that prints the configuration of r1 (iosxr) is not known here: run "collect" as a job',
    );
  });
});
