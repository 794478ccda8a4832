/** Lines as netlab prints them; error-sentence.test.ts has whole logs. */
import { describe, expect, test } from '@jest/globals';
import {
  closingOf,
  isErrorReport,
  leavesCauseOpen,
  refusesTopology,
  reportedErrors,
} from '../../../../../../src/labs/drivers/netlab-language/errors/reported-errors.ts';

const gaveUp = 'Fatal error in netlab: Cannot proceed beyond this point due to errors, exiting';

describe('an error of netlab', () => {
  test.each([
    'Fatal error in netlab: no',
    'Fatal error in netlab up: no',
    'IncorrectValue in nodes: no',
    'MissingValue in bgp.session: no',
    'Own_Category in my-plugin: no',
  ])('%j is one', (line) => {
    expect(isErrorReport(line)).toBe(true);
  });

  test.each([
    'Warning in nodes: no',
    'incorrectValue in nodes: no',
    'IncorrectValue in nodes:',
    'IncorrectValue in nodes and links and more: no',
    '... IncorrectValue in nodes: a hint',
    'Created file in place',
  ])('%j is none', (line) => {
    expect(isErrorReport(line)).toBe(false);
  });
});

describe('last words that only say that netlab gives up', () => {
  test.each([
    gaveUp,
    'Fatal error in netlab: Fatal topology errors, aborting',
    'Fatal error in netlab: Executing Ansible playbook x.ansible failed',
    'FatalError in initial: Configuration deployment failed',
    'FatalError in initial: Failed to normalize device configurations',
    'Fatal error in netlab up: containerlab deploy failed, aborting...',
    'Fatal error in netlab: aborting "netlab up" request',
  ])('%j', (line) => {
    expect(closingOf(['IncorrectValue in a: no', line, 'Warning in b: x'])).toBe(line);
    expect(leavesCauseOpen(['IncorrectValue in a: no', line])).toBe(true);
    expect(reportedErrors(['IncorrectValue in a: no', line])).toEqual(['IncorrectValue in a: no']);
    expect(reportedErrors(['docker: no', line])).toEqual([line]);
  });

  test('are none when they say more, or when there are none', () => {
    for (const lines of [[gaveUp, 'IncorrectValue in a: no'], ['docker: no'], []])
      expect(closingOf(lines)).toBeUndefined();
    expect(leavesCauseOpen([gaveUp, 'IncorrectValue in a: no'])).toBe(false);
    expect(leavesCauseOpen(['docker: no'])).toBe(true);
  });
});

describe('a topology is refused', () => {
  test.each([
    [gaveUp, true],
    ['Fatal error in netlab: Fatal topology errors, aborting', true],
    ['Fatal error in netlab: Cannot read YAML from x.yml: no', true],
    ['Fatal error in netlab: no space left', false],
    [`${gaveUp} at once`, false],
    ['Error: of docker', false],
    ['all is well', false],
  ])('by %j as the last error: %s', (line, expected) => {
    expect(refusesTopology(['IncorrectValue in a: no', line, '... a hint'])).toBe(expected);
  });

  test('not when another error came after', () => {
    expect(refusesTopology([gaveUp, 'Error: of docker'])).toBe(false);
    expect(refusesTopology([])).toBe(false);
  });
});

describe('what is wrong', () => {
  test('is all that was collected before netlab gave up, each thing once; without that, what came last', () => {
    const errors = ['IncorrectValue in a: one', 'MissingValue in b: two', 'IncorrectValue in a: one'];
    expect(reportedErrors([...errors, gaveUp])).toEqual(errors.slice(0, 2));
    expect(reportedErrors(['MissingValue in b: two', 'IncorrectValue in a: one'])).toEqual([
      'IncorrectValue in a: one',
    ]);
  });

  test('has the lines that go on with it', () => {
    const lines = ['IncorrectValue in a: one', '  and', '\tmore', 'else', '  not this'];
    expect(reportedErrors(lines)).toEqual(['IncorrectValue in a: one and more']);
  });

  test.each([
    "error: 'all' is undefined",
    'Line 2 @ /labs/x.j2',
    'valid values are: a, b',
    'node r1 routing policy x',
    'Used on links[1]',
    'Unnumbered interfaces: eth1',
    'The type of x is a map',
    'This container image is not available online and has to be installed',
    'Enable "bgp" for it',
  ])('has a hint that tells the cause: %s', (hint) => {
    const lines = ['IncorrectValue in a: one', '... Use netlab show', `... ${hint}`, `... so: ${hint}`];
    expect(reportedErrors(lines)).toEqual([`IncorrectValue in a: one (${hint})`]);
  });

  test('has all of them, behind the lines that go on with it, and none of another error', () => {
    const lines = [
      'IncorrectValue in a: one',
      '  and more',
      "... error: 'x' is undefined",
      '      by somebody',
      '... Line 2 @ x.j2',
      'IncorrectValue in b: two',
      '... Line 7 @ y.j2',
      gaveUp,
    ];
    expect(reportedErrors(lines)).toEqual([
      "IncorrectValue in a: one and more (error: 'x' is undefined; Line 2 @ x.j2)",
      'IncorrectValue in b: two (Line 7 @ y.j2)',
    ]);
  });

  test.each([
    'FatalError: no',
    'MissingValue: no',
    'IncorrectValue no',
    'ErrorAbort',
    'ERROR no',
    'Error: no',
    'error no',
    'Cannot do it',
    'Failed to do it',
    'netlab up: error: no such option',
  ])('may be in other words, when there are no better ones: %s', (line) => {
    expect(reportedErrors(['Error: of before', line, '  indeed', 'all is well'])).toEqual([`${line} indeed`]);
    expect(reportedErrors([line, 'IncorrectValue in a: one'])).toEqual(['IncorrectValue in a: one']);
  });

  test.each(['Errors', 'Failure', ' Error: no', 'an error: no', 'all is well', ''])(
    'is not said by %j',
    (line) => {
      expect(reportedErrors([line])).toEqual([]);
    },
  );
});
