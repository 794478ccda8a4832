/** Lines as netlab and the programs that it runs print them; error-sentence.test.ts has whole logs. */
import { describe, expect, test } from '@jest/globals';
import { errorSentence } from '../../../../../src/labs/drivers/netlab-language/error-sentence.ts';

/** The cause in the sentence; empty when it names none. */
function cause(...lines: readonly string[]): string {
  const logTail = `${lines.join('\n')}\n`;
  const text = errorSentence({
    action: 'up',
    workdir: '/labs',
    cliName: 'netlab',
    exitCode: 1,
    signal: null,
    logTail,
  });
  return text.replace(/^netlab up failed with exit code 1$/, '');
}

const gaveUp = 'Fatal error in netlab: Cannot proceed beyond this point due to errors, exiting';

describe('Ansible', () => {
  test.each([
    ['fatal: [a -> localhost]: FAILED! => {"msg": "no  such\\n file"}', 'no such file (Ansible failed on a)'],
    ['failed: [a] (item={"x": 1}) => {"item": {"x": 1}, "msg": "no"}', 'no (Ansible failed on a)'],
    ['fatal: [a]: FAILED! => {"msg": ["one", 2]}', '["one",2] (Ansible failed on a)'],
    // `no_log` hides the message.
    ['fatal: [a]: FAILED! => {"censored": "hidden", "changed": false}', 'Ansible failed on a'],
    ['fatal: [a]: FAILED! => {"rc": 1, "stderr": "boom"}', 'boom (Ansible failed on a)'],
    // A cut line, and a line of another callback.
    ['fatal: [a]: FAILED! => {"x": {}, "msg": "no \\"b\\" in', 'no \\"b\\" in (Ansible failed on a)'],
    ['fatal: [a]: FAILED! => null', 'null (Ansible failed on a)'],
    [
      'fatal: [a]: FAILED! => {"msg": "non-zero return code", "stderr": "one\\ntwo\\n\\n"}',
      'two (Ansible failed on a)',
    ],
    [
      'fatal: [a]: FAILED! => {"msg": "non-zero return code", "stderr": ""}',
      'non-zero return code (Ansible failed on a)',
    ],
    [
      'fatal: [a]: FAILED! => {"msg": "non-zero return code", "rc": 3, "stderr": "", "stdout": "one\\n% two"}',
      '% two; exit code 3 (Ansible failed on a)',
    ],
    [
      'fatal: [a]: FAILED! => {"msg": "non-zero return code", "rc": 3, "stderr": "", "stdout": ""}',
      'exit code 3 (Ansible failed on a)',
    ],
    ['fatal: [a]: FAILED! => {"msg": "no", "stderr": "a warning"}', 'no (Ansible failed on a)'],
    ['fatal: [a]: FAILED! => {"msg": "no; See stdout/stderr for the details"}', 'no (Ansible failed on a)'],
    ['  * a - FAILED!!! ---\n      deeper', 'Ansible failed on a'],
  ])('reports a failed task: %s', (line, told) => {
    expect(cause(line)).toBe(told);
  });

  test.each([
    'ok: [a] => {"msg": "fine"}',
    ' fatal: [a]: FAILED! => {"msg": "quoted"}',
    'fatal: [a]: FAILED! {"msg": "no"}',
    '  * a  - OK --- ',
    'a : ok=6 changed=0 failed=1',
  ])('reports no failure: %j', (line) => {
    expect(cause(line)).toBe('');
  });

  test('reports each failure once, with its task and all its hosts', () => {
    const failed = (host: string, msg = 'no') => `fatal: [${host}]: FAILED! => {"msg": "${msg}"}`;
    const first = ['TASK [first] *********', 'ok: [a]', failed('b'), 'TASK [not a heading]', failed('c')];
    expect(cause(...first, failed('b', 'other'), failed('b'), '# second *************', failed('a'))).toBe(
      'no (Ansible task "first" failed on b, c); other (Ansible task "first" failed on b); no (Ansible task "second" failed on a)',
    );
  });

  test('does not reach hosts: that is the cause, whatever other tasks report', () => {
    const lines = [
      'TASK [do] ***',
      'fatal: [a]: UNREACHABLE! => {"msg": "Failed to create temporary directory. In some cases, you may have been able to authenticate and did not have permissions on the target directory."}',
      '  * b - UNREACHABLE!!! ---',
      '    Failed to create temporary directory',
      'fatal: [c]: UNREACHABLE! => {"unreachable": true}',
      'fatal: [d]: FAILED! => {"msg": "no"}',
    ];
    expect(cause(...lines)).toBe(
      'Ansible cannot reach a, b: Failed to create temporary directory; Ansible cannot reach c',
    );
  });
});

test.each([
  ['Error: No such image: x/y:1', 'x/y:1'],
  ['Error response: no such image: x/y:1: not found', 'x/y:1'],
  ['pull access denied for x/y, repository does not exist', 'x/y'],
  ['manifest for x/y:1 not found: manifest unknown', 'x/y:1'],
  ["Unable to find image 'a:1' locally\nUnable to find image 'b:1' locally\nNo such image: a:1", 'a:1, b:1'],
])('a missing image: %s', (lines, images) => {
  expect(cause(lines)).toBe(`there is no container image ${images} on this machine`);
});

describe('a command that netlab gave up on', () => {
  const closing = 'Fatal error in netlab up: containerlab deploy failed, aborting...';

  test.each([
    '15:04:05 ERRO cannot deploy',
    'ERRO[0001] cannot deploy',
    'FATAL cannot deploy',
    'Error: cannot deploy',
    'panic: cannot deploy',
    'docker: Error response from daemon: cannot deploy',
    'docker: Error: cannot deploy',
  ])('has the complaint of its program: %s', (line) => {
    expect(cause('started', line, closing)).toBe('cannot deploy (containerlab deploy failed)');
  });

  test.each(['ERRORS none', 'all is well: Error: none', '15:04:05 INFO Error'])(
    'has no complaint in %j',
    (line) => {
      expect(cause(line, closing)).toBe('containerlab deploy failed, aborting...');
    },
  );

  test('has each complaint since its last start once', () => {
    const start = 'provider clab: executing containerlab deploy';
    const complaints = ['Error: one', 'Error: two', 'Error: one'];
    expect(cause('Error: before', start, 'Error: first try', start, ...complaints, closing)).toBe(
      'one; two (containerlab deploy failed)',
    );
  });
});

test.each([
  ['  Cannot find device "eth1"', ': Cannot find device "eth1"'],
  ['  [INFO] fine', ''],
  ['Cannot find device', ''],
])('a script that configures a node, and printed last %j', (last, why) => {
  const words = 'FatalError in initial: ospf configuration in namespace clab-demo-a failed for node a';
  const end = 'FatalError in initial: Configuration deployment failed';
  expect(cause('  + ip link', last, words, end)).toBe(`the ospf configuration of node a failed${why}`);
});

test('a node that does not run, in the words of Docker, which netlab has broken into lines', () => {
  const id = '3f0c9d2b71aa'.padEnd(64, '0');
  const lines = [
    '  + ip link set eth1 down',
    '  Error response from daemon: container',
    `  ${id} is not`,
    '  running',
    'FatalError in initial: initial configuration in namespace clab-demo-x2 failed for node x2',
    'FatalError in initial: Configuration deployment failed',
  ];
  const said = 'the initial configuration of node x2 failed: container 3f0c9d2b71aa is not running';
  expect(cause(...lines)).toBe(said);
});

test('the explanation of a type, which has several lines, and not the advice behind it', () => {
  const lines = [
    'IncorrectType in groups: group name x! must be a 16-character identifier, found str',
    '... FYI: a 16-character identifier is a string starting with a letter or',
    '... an underscore and containing up to 16 letters, numbers, or underscores',
    "... use 'netlab show attributes' to display valid attributes",
  ];
  expect(cause(...lines, gaveUp)).toBe(
    'group name x! must be a 16-character identifier, found str (FYI: a 16-character identifier is a string starting with ' +
      'a letter or an underscore and containing up to 16 letters, numbers, or underscores)',
  );
});

describe('a file that is not YAML', () => {
  const words = (text: string, file = 'x.yml'): string =>
    `Fatal error in netlab: Cannot read YAML from ${file}: ${text}`;
  const position = '  in "/labs/x.yml", line 4, column 1';

  test.each([
    [[words('no'), position], 'x.yml:4:1: no'],
    [[words('no'), 'Other words', position], 'x.yml cannot be read as YAML: no'],
    [[words('one', 'a.yml'), words('two')], 'x.yml cannot be read as YAML: two'],
  ])('%j', (lines, text) => {
    expect(cause(...lines)).toBe(text);
  });
});

test('a cut traceback, and one without a frame of netlab, give what there is', () => {
  const start = 'Traceback (most recent call last):';
  expect(cause(start, '  File "/a.py", line 7, in b', '    call()')).toBe('');
  expect(cause(start, '    File "/x/netsim/y.py", line 7, in quoted', 'ValueError: x')).toBe('ValueError: x');
});

describe('an error of netlab', () => {
  test.each([
    'Fatal error in netlab: Fatal topology errors, aborting',
    'Fatal error in netlab: Executing Ansible playbook x.ansible failed',
    'FatalError in initial: Configuration deployment failed',
    'FatalError in initial: Failed to normalize device configurations',
    'Fatal error in netlab: aborting "netlab up" request',
  ])('stands before %j, which only says that netlab gives up', (line) => {
    expect(cause('IncorrectValue in a: no', line)).toBe('no');
    expect(cause('docker: no', line)).toBe(line.replace(/^.*? in \w+: /, ''));
  });

  test('is all that was collected before netlab gave up, each once; else the last one', () => {
    const errors = ['IncorrectValue in a: one', 'MissingValue in b.c: two', 'Own_Type in my-plugin: three'];
    expect(cause(...errors, errors[0]!, gaveUp)).toBe('one; two; three');
    expect(cause(...errors)).toBe('three');
  });

  test.each(['Warning in nodes: no', 'incorrectValue in a: no', 'IncorrectValue in a:', 'Created file in x'])(
    'is not %j',
    (line) => {
      expect(cause('IncorrectValue in a: one', line, gaveUp)).toBe('one');
    },
  );

  test.each([
    'valid values are: a, b',
    'node r1 routing policy x',
    'Used on links[1]',
    'Unnumbered interfaces: eth1',
    'The type of x is a map',
    'Enable "bgp" for it',
  ])('has a hint that tells the cause: %s', (hint) => {
    const lines = ['IncorrectValue in a: one', '  and more', '... Use netlab show', `... ${hint}`];
    expect(cause(...lines, `... so: ${hint}`, 'IncorrectValue in b: two', gaveUp)).toBe(
      `one and more (${hint}); two`,
    );
  });

  test.each([
    'FatalError: no',
    'MissingValue: no',
    'IncorrectValue no',
    'ErrorAbort',
    'ERROR no',
    'error no',
    'Cannot do it',
    'Failed to do it',
  ])('may be in other words, when there are no better ones: %s', (line) => {
    expect(cause('Error: of before', line, '  indeed', 'all is well')).toBe(
      `${line.replace(/^\w+: /, '')} indeed`,
    );
    expect(cause(line, 'IncorrectValue in a: one')).toBe('one');
  });

  test.each(['Errors', 'Failure', ' Error: no', 'an error: no', ''])('is not said by %j', (line) => {
    expect(cause(line)).toBe('');
  });
});

test('a kernel without a list of its modules', () => {
  expect(
    cause(
      'Traceback (most recent call last):',
      '  File "/opt/netlab/lib/python3.11/site-packages/netsim/providers/clab/labops.py", line 89, in get_loaded_kernel_modules',
      "FileNotFoundError: [Errno 2] No such file or directory: '/proc/modules'",
    ),
  ).toMatch(/^netlab looks for modules in \/proc\/modules.*"devices\.frr\.clab\.kmods\.initial: \[\]"/);
});
