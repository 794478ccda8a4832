import { describe, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TestResult } from '../../../../../src/labs/model/job-result.ts';
import { errorSentence } from '../../../../../src/labs/drivers/netlab-language/error-sentence.ts';

const recorded = (name: string): string =>
  readFileSync(path.resolve(__dirname, '../../../../fixtures/netlab', name), 'utf8');

function sentence(logTail: string, rest: Partial<Parameters<typeof errorSentence>[0]> = {}): string {
  return errorSentence({
    action: 'up',
    workdir: '/labs/demo',
    cliName: 'netlab',
    exitCode: 1,
    signal: null,
    logTail,
    ...rest,
  });
}

describe('what netlab printed', () => {
  test('a failed provider', () => {
    expect(sentence(recorded('up-failed.log'))).toBe(
      'cannot deploy (containerlab deploy --reconfigure -t clab.yml failed)',
    );
  });

  test('the last state of a line that was overwritten, also half a million times', () => {
    const overwritten = `Fatal error in x: early${'\r'.repeat(500_000)}Fatal error in x: late\r\r\n`;
    expect(sentence(overwritten)).toBe('late');
  });

  test('the errors of a topology, not that netlab gave up because of them', () => {
    expect(sentence(recorded('create-failed.log'), { action: 'create' })).toBe(
      'Link string a-c in links[1] refers to an unknown node c; ' +
        'Link string a-d in links[2] refers to an unknown node d',
    );
  });

  test.each([
    ['missing-element', "Required topology element 'nodes' is missing or empty"],
    ['unknown-device', "attribute 'nodes.a.device' must be known device type identifier (got frrr)"],
    [
      'yaml-indentation',
      "topology.yml:5:4: expected <block end>, but found '<block mapping start>' " +
        '(while parsing a block mapping at 3:3)',
    ],
    [
      'yaml-tab',
      "topology.yml:4:1: found character '\\t' that cannot start any token (while scanning for the next token)",
    ],
    ['yaml-duplicate', 'topology.yml:1:1: Duplicate section nodes'],
    [
      'template-error',
      'Error rendering template broken for node a/device frr ' +
        "(error: 'all' is undefined; Line 2 @ /labs/demo/broken/frr.j2)",
    ],
    [
      'missing-image',
      'there is no container image images.invalid/no/such:1 on this machine, and it cannot be pulled: ' +
        'Get "https://images.invalid/v2/": dial tcp: lookup images.invalid on 192.0.2.53:53: no such host',
    ],
    [
      'image-to-build',
      'Container ceos:4.34.2F used by node a is not installed ' +
        '(This container image is not available online and has to be installed locally.)',
    ],
    ['ansible-unreachable', 'Ansible cannot reach b: Failed to create temporary directory'],
    [
      'ansible-task-failed',
      "MODULE FAILURE: No start of json char found; paramiko is not installed: No module named 'paramiko' " +
        '(Ansible task "eos_config: deploying normalize from /labs/demo/node_files/sw1/normalize" failed on sw1)',
    ],
    [
      'script-failed',
      'the initial configuration of node b failed: No such container: clab-demo-b; ' +
        'the initial configuration of node a failed: Cannot find device "eth1"',
    ],
    [
      'instance-taken',
      'the lab instance "default" is already running in /labs/demo: stop it, or give this lab a multilab id of its own ("multilabId")',
    ],
    ['directory-taken', 'Cannot start another lab in the same directory'],
    ['no-snapshot', 'The topology snapshot file netlab.snapshot.pickle does not exist'],
    [
      'netlab-broke',
      'box.exceptions.BoxTypeError: unhashable type: "Box" (in merge_tool_defaults of netsim/augment/tools.py)',
    ],
  ])('%s: the cause, not that netlab gave up', (name, cause) => {
    expect(sentence(recorded(`errors/${name}.log`))).toBe(cause);
  });

  test('of many errors whole ones, and how many more there are', () => {
    const text = sentence(recorded('errors/many-errors.log'));
    expect(text.length).toBeLessThanOrEqual(500);
    expect(text).toMatch(
      /^[^;]+area1[^;]+;[^;]+area2.*; [^;]+ must be an integer, found str; .*; and 8 more$/,
    );
  });

  test('what Ansible was told to ignore is not the cause', () => {
    const log = [
      'TASK [look] ****',
      'fatal: [a]: FAILED! => {"msg": "not there"}',
      '...ignoring',
      'TASK [do] ****',
      'fatal: [a]: FAILED! => {"cmd": "x", "msg": "non-zero return code", "stderr": "one\\ntwo"}',
      'failed: [b] (item=1) => {"msg": "no way"}',
      'Fatal error in netlab: Executing Ansible playbook x.ansible failed',
    ];
    expect(sentence(log.join('\n'))).toBe(
      'two (Ansible task "do" failed on a); no way (Ansible task "do" failed on b)',
    );
  });

  test('an error of netlab comes before what a program said that it survived', () => {
    const log = 'Error response from daemon: No such image: x\nFatal error in netlab: no space left\n';
    expect(sentence(log)).toBe('no space left');
  });

  test('a question about the cabling', () => {
    expect(sentence(recorded('up-external-eof.log'))).toBe(
      'the lab CLI asked "Do you want to continue [y/n]:", which a job cannot ' +
        'answer; set "quiet": true to go on without being asked about the cabling',
    );
  });

  test.each([
    {
      action: 'down',
      question: 'Do you want to proceed? [y/n]:',
      remedy: 'stop it there, by its "instance"',
    },
    { action: 'collect', question: 'Enter box version:', remedy: 'run "collect" in a terminal' },
    { action: 'up', question: '', remedy: 'asked a question' },
    { action: 'create', question: 'Do you want to continue [y/n]:', remedy: 'run "create" in a terminal' },
  ] as const)('another question of $action', ({ action, question, remedy }) => {
    const traceback =
      'Traceback (most recent call last):\n  File "x", line 1, in y\nEOFError: EOF when reading a line\n';
    const text = sentence(`before\n${question} ${traceback}`, { action });
    expect(text).toContain(remedy);
    expect(text).toContain(question);
  });

  test('the last line of another traceback', () => {
    const log =
      'Traceback (most recent call last):\n  File "x", line 1\n    a()\n    ^^^\nKeyError: \'nodes\'\n';
    expect(sentence(`Fatal error in x: old news\n${log}`)).toBe("KeyError: 'nodes'");
  });

  test('the last of several tracebacks', () => {
    const traceback = (error: string) => `Traceback (most recent call last):\n  File "x", line 1\n${error}\n`;
    const log = `${traceback('KeyError: 1')}\nDuring handling of it:\n\n${traceback('ValueError: 2')}`;
    expect(sentence(log)).toBe('ValueError: 2');
  });

  test('a fatal error after a traceback that netlab survived', () => {
    const log =
      'Traceback (most recent call last):\n  File "x", line 1\nValueError: x\nFatal error in up: aborting\n';
    expect(sentence(log)).toBe('aborting');
  });

  test.each([
    ['usage: netlab up [-h]\nnetlab up: error: unrecognized arguments: --x\n', 'unrecognized arguments: --x'],
    ['\u001b[31mFatal error in netlab:\u001b[0m red\n', 'red'],
    ['50%\r100%\rFatal error in x: y\r\n', 'y'],
  ])('%j', (log, expected) => {
    expect(sentence(log)).toBe(expected);
  });

  test('that there are no labs', () => {
    expect(sentence(recorded('status-none.txt'), { action: 'status' })).toBe('No netlab-managed labs');
    expect(sentence(recorded('status-all.txt'), { action: 'status' })).toBe(
      'netlab status failed with exit code 1',
    );
  });

  test.each([
    [1, 'test bad failed: no way; test worse failed'],
    [3, 'test bad failed: no way; test worse failed; 1 test that are not listed failed'],
  ])('%i tests that failed come before what was printed', (more, expected) => {
    const sample = { description: null, nodes: [], seconds: null, reason: null };
    const tests: TestResult[] = [
      { ...sample, name: 'good', outcome: 'passed', messages: ['fine'] },
      { ...sample, name: 'bad', outcome: 'failed', reason: 'no\n  way', messages: ['fine', 'no\n  way'] },
      { ...sample, name: 'worse', outcome: 'failed', messages: [] },
    ];
    const result = {
      kind: 'tests',
      passed: 1,
      failed: more,
      warnings: 0,
      complete: true,
      truncated: false,
      tests,
    } as const;
    const log = 'Fatal error in netlab: no space left\n';
    expect(sentence(log, { action: 'validate', result: { ...result, tests } })).toBe(expected);
    expect(sentence(log, { action: 'validate', result: { ...result, failed: 0, tests } })).toContain(
      'no space left',
    );
  });

  test.each([
    ["the lab instance 'x y' is already running in directory\n  /labs/a. Aborting", '/labs/a'],
    ["the lab instance 'x y' is already running in directory /labs/b.c more", '/labs/b.c'],
  ])('%j names the other lab', (words, directory) => {
    const text = sentence(
      `${words}\nFatal error in netlab: Cannot proceed beyond this point due to errors, exiting\n`,
    );
    expect(text).toContain(`the lab instance "x y" is already running in ${directory}: stop it`);
  });

  test('one line of a status is what it has to say, whatever stands around it', () => {
    expect(sentence('\n  nothing   here \n\n', { action: 'status' })).toBe('nothing here');
    expect(sentence('', { action: 'status' })).toBe('netlab status failed with exit code 1');
  });

  test('is cut at 500 characters', () => {
    const text = sentence(`Fatal error in x: ${'long '.repeat(300)}`);
    expect(text).toHaveLength(500);
    expect(text.endsWith('…')).toBe(true);
  });
});

describe('how it ended', () => {
  test.each([
    ['netlab up failed with exit code 2', { exitCode: 2 }],
    ['netlab up was ended by signal SIGKILL', { exitCode: null, signal: 'SIGKILL' }],
    ['netlab up ended in an unknown way', { exitCode: null }],
  ])('%s', (expected, how) => {
    expect(sentence('OK: all fine\n', how)).toBe(expected);
  });
});
