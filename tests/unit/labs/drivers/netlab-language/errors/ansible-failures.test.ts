/** Lines as Ansible prints them; error-sentence.test.ts has whole logs. */
import { describe, expect, test } from '@jest/globals';
import {
  failedTasks,
  unreachableHosts,
} from '../../../../../../src/labs/drivers/netlab-language/errors/ansible-failures.ts';

describe('a task that failed', () => {
  test.each([
    ['fatal: [a]: FAILED! => {"changed": false, "msg": "no  such\\n file"}', 'a: no such file'],
    ['fatal: [a -> localhost]: FAILED! => {"msg": "no"}', 'a: no'],
    ['failed: [a] (item={"x": 1}) => {"item": {"x": 1}, "msg": "no"}', 'a: no'],
    ['fatal: [a]: FAILED! => {"msg": ["one", 2]}', 'a: ["one",2]'],
    // What is not to be logged has no message.
    ['fatal: [a]: FAILED! => {"censored": "hidden", "changed": false}', 'a'],
    ['fatal: [a]: FAILED! => {"msg": null}', 'a'],
    ['fatal: [a]: FAILED! => {"rc": 1, "stderr": "boom"}', 'a: boom'],
    // A line that was cut, and one of another callback.
    ['fatal: [a]: FAILED! => {"x": {}, "msg": "no \\"b\\" in', 'a: no \\"b\\" in'],
    ['fatal: [a]: FAILED! => no JSON', 'a: no JSON'],
    ['fatal: [a]: FAILED! => null', 'a: null'],
    // What a command printed last says why it failed; of anything else, its own words do.
    ['fatal: [a]: FAILED! => {"msg": "non-zero return code", "stderr": "one\\ntwo\\n\\n"}', 'a: two'],
    ['fatal: [a]: FAILED! => {"msg": "non-zero return code", "stderr": ""}', 'a: non-zero return code'],
    ['fatal: [a]: FAILED! => {"msg": "non-zero return code"}', 'a: non-zero return code'],
    ['fatal: [a]: FAILED! => {"msg": "no", "stderr": "a warning"}', 'a: no'],
    ['fatal: [a]: FAILED! => {"msg": "no. See stdout/stderr for the exact error."}', 'a: no.'],
    ['fatal: [a]: FAILED! => {"msg": "no; See stdout/stderr for the details"}', 'a: no'],
  ])('%s', (line, told) => {
    expect(failedTasks([line])).toEqual([`Ansible failed on ${told}`]);
    expect(unreachableHosts([line])).toEqual([]);
  });

  test.each([
    'ok: [a] => {"msg": "fine"}',
    'changed: [a]',
    ' fatal: [a]: FAILED! => {"msg": "quoted"}',
    'fatal: a: FAILED! => {"msg": "no"}',
    'fatal: [a]: FAILED! {"msg": "no"}',
    '  * a  - OK --- ',
    'a : ok=6 changed=0 failed=1',
  ])('is not %j', (line) => {
    expect([...failedTasks([line]), ...unreachableHosts([line])]).toEqual([]);
  });

  test('is told with its name, which stands above', () => {
    const failed = (host: string) => `fatal: [${host}]: FAILED! => {"msg": "no"}`;
    const lines = [
      'TASK [first] *********',
      'ok: [a]',
      failed('b'),
      'TASK [not a heading]',
      failed('c'),
      '# second *************',
      failed('a'),
    ];
    expect(failedTasks(lines)).toEqual([
      'Ansible task "first" failed on b, c: no',
      'Ansible task "second" failed on a: no',
    ]);
  });

  test('in the same way on several hosts is told once, with each of them', () => {
    const lines = [
      'TASK [do] ***',
      'failed: [a] (item=1) => {"msg": "no"}',
      'failed: [b] (item=1) => {"msg": "other"}',
      'failed: [b] (item=2) => {"msg": "no"}',
      'failed: [a] (item=2) => {"msg": "no"}',
    ];
    expect(failedTasks(lines)).toEqual([
      'Ansible task "do" failed on a, b: no',
      'Ansible task "do" failed on b: other',
    ]);
  });

  test('and was ignored is none', () => {
    expect(failedTasks(['fatal: [a]: FAILED! => {"msg": "no"}', '...ignoring'])).toEqual([]);
    expect(failedTasks(['...ignoring', 'fatal: [a]: FAILED! => {"msg": "no"}'])).toHaveLength(1);
  });
});

describe('in the form of the callback that netlab uses', () => {
  test('the message stands below, in lines of its own', () => {
    const lines = [
      '# eos_config: deploying normalize *****',
      '  * sw1                        - FAILED!!! ------',
      '    MODULE FAILURE: No start of json char found',
      '    See stdout/stderr for the exact error',
      '    paramiko is not installed',
      '',
      '    of something else',
    ];
    expect(failedTasks(lines)).toEqual([
      'Ansible task "eos_config: deploying normalize" failed on sw1: MODULE FAILURE: No start of json char found; paramiko is not installed',
    ]);
  });

  test('there may be none', () => {
    expect(failedTasks(['  * sw1 - FAILED!!! ---', 'sw1 : ok=6'])).toEqual(['Ansible failed on sw1']);
    expect(failedTasks(['  * sw1 - FAILED!!! ---', '      deeper'])).toEqual(['Ansible failed on sw1']);
  });
});

test('a host that is not reached is told as that, whatever the task', () => {
  const lines = [
    'TASK [do] ***',
    'fatal: [a]: UNREACHABLE! => {"msg": "Failed to create temporary directory. In some cases, you may have been able to authenticate and did not have permissions on the target directory."}',
    '  * b - UNREACHABLE!!! ---',
    '    Failed to create temporary directory',
    'TASK [other] ***',
    'fatal: [c]: UNREACHABLE! => {"unreachable": true}',
    'fatal: [d]: FAILED! => {"msg": "no"}',
  ];
  expect(unreachableHosts(lines)).toEqual([
    'Ansible cannot reach a, b: Failed to create temporary directory',
    'Ansible cannot reach c',
  ]);
  expect(failedTasks(lines)).toEqual(['Ansible task "other" failed on d: no']);
});
