/** Lines as the programs that netlab runs print them; error-sentence.test.ts has whole logs. */
import { describe, expect, test } from '@jest/globals';
import {
  failedCommand,
  failedScripts,
  missingImages,
} from '../../../../../../src/labs/drivers/netlab-language/errors/provider-failures.ts';

describe('an image that is missing', () => {
  test.each([
    ["Unable to find image 'x/y:1' locally", 'x/y:1'],
    ['Error: No such image: x/y:1', 'x/y:1'],
    ['Error response: no such image: x/y:1: not found', 'x/y:1'],
    ['pull access denied for x/y, repository does not exist', 'x/y'],
    ['manifest for x/y:1 not found: manifest unknown', 'x/y:1'],
  ])('%s', (line, image) => {
    expect(missingImages(['15:08 INFO Creating', line, 'more'])).toEqual([
      `there is no container image ${image} on this machine`,
    ]);
  });

  test('is told once, with the others, and with what docker said last', () => {
    const lines = [
      "Unable to find image 'a:1' locally",
      'docker: Error response from daemon: first',
      "Unable to find image 'b:1' locally",
      "Unable to find image 'a:1' locally",
      'docker: Error response from daemon: pull access denied for b, no login',
      'more',
    ];
    expect(missingImages(lines)).toEqual([
      'there is no container image a:1, b:1, b on this machine, and it cannot be pulled: pull access denied for b, no login',
    ]);
  });

  test('is none that nobody names', () => {
    expect(missingImages(['Error response from daemon: no', 'the image is fine'])).toEqual([]);
  });
});

describe('a command that netlab gave up on', () => {
  const closing = 'Fatal error in netlab up: containerlab deploy failed, aborting...';
  const said = (...lines: readonly string[]) => failedCommand([...lines, closing], closing);

  test.each([
    ['ERROR cannot deploy', 'cannot deploy'],
    ['15:04:05 ERRO cannot deploy', 'cannot deploy'],
    ['ERRO[0001] cannot deploy', 'cannot deploy'],
    ['15:04 FATA[12]  cannot deploy', 'cannot deploy'],
    ['FATAL cannot deploy', 'cannot deploy'],
    ['Error: cannot deploy', 'cannot deploy'],
    ['error: cannot deploy', 'cannot deploy'],
    ['panic: cannot deploy', 'cannot deploy'],
    ['docker: Error response from daemon: cannot deploy', 'cannot deploy'],
    ['docker: Error: cannot deploy', 'cannot deploy'],
  ])('is told with what its program complained of: %s', (line, complaint) => {
    expect(said('started', line)).toEqual([`containerlab deploy failed: ${complaint}`]);
  });

  test.each([
    'ERRORS none',
    'all is well: Error: none',
    '15:04:05 INFO Error',
    'Errors were found',
    'IncorrectValue in links: no',
  ])('is not told by %j', (line) => {
    expect(said(line)).toEqual([]);
  });

  test('counts from its start, and says each complaint once', () => {
    const lines = [
      'Error: of another command',
      'provider clab: executing containerlab deploy',
      'Error: of the first try',
      'provider clab: executing containerlab deploy',
      'Error: one',
      'Error: two',
      'Error: one',
    ];
    expect(said(...lines)).toEqual(['containerlab deploy failed: one; two']);
  });

  test('is named by the last words of netlab alone', () => {
    expect(failedCommand(['Error: no'], undefined)).toEqual([]);
    for (const words of ['Fatal error in netlab: x', `${closing} more`, `so: ${closing}`])
      expect(failedCommand(['Error: no', words], words)).toEqual([]);
  });
});

describe('a script that configures a node', () => {
  const words = 'FatalError in initial: ospf configuration in namespace clab-demo-a failed for node a';

  test.each<[string | undefined, string]>([
    ['  Cannot find device "eth1"', ': Cannot find device "eth1"'],
    ['  [INFO] fine', ''],
    ['Cannot find device', ''],
    ['   ', ''],
    [undefined, ''],
  ])('is told with what it printed last: %j', (last, why) => {
    const lines = last === undefined ? [words] : ['  + ip link', last, words];
    expect(failedScripts(lines)).toEqual([`the ospf configuration of node a failed${why}`]);
  });

  test('is none in other words', () => {
    const others = [`so: ${words}`, `${words} at once`, 'FatalError in initial: Configuration failed'];
    expect(failedScripts(others)).toEqual([]);
  });
});
