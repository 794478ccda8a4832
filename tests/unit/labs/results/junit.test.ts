import { describe, expect, test } from '@jest/globals';
import { junitXml } from '../../../../src/labs/results/junit.ts';
import { resultOf, sample, suite } from '../../../support/test-results.ts';

describe('JUnit', () => {
  test('has a case for each test, with what was said', () => {
    const tests = [
      sample(),
      sample({
        name: 'bad',
        description: null,
        outcome: 'failed',
        reason: 'no "way" & <so>',
        messages: ['r1: fine', 'no "way" & <so>', 'on\u0000'],
      }),
      sample({ name: 'soft', nodes: [], outcome: 'warning', messages: ['hm'], seconds: null }),
      sample({ name: 'none', outcome: 'skipped', messages: [] }),
      sample({ name: 'wait', outcome: null, messages: [], seconds: null }),
    ];
    expect(junitXml(resultOf(tests), suite)).toBe(`<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="5" failures="1" errors="0" skipped="2" time="1.5">
  <testsuite name="validate 7" tests="5" failures="1" errors="0" skipped="2" time="1.5" timestamp="2026-01-02T03:04:05.678Z">
    <testcase classname="validate 7" name="ping" time="0.5"><properties><property name="description" value="H1 reaches &lt;H2&gt;"/><property name="nodes" value="h1,r1"/></properties><system-out>h1: Ping to h2 succeeded</system-out></testcase>
    <testcase classname="validate 7" name="bad" time="0.5"><properties><property name="nodes" value="h1,r1"/></properties><failure message="no &quot;way&quot; &amp; &lt;so&gt;">r1: fine
no "way" &amp; &lt;so&gt;
on\ufffd</failure></testcase>
    <testcase classname="validate 7" name="soft"><properties><property name="description" value="H1 reaches &lt;H2&gt;"/></properties><system-out>WARNING: hm</system-out></testcase>
    <testcase classname="validate 7" name="none" time="0.5"><properties><property name="description" value="H1 reaches &lt;H2&gt;"/><property name="nodes" value="h1,r1"/></properties><skipped message=""/></testcase>
    <testcase classname="validate 7" name="wait"><properties><property name="description" value="H1 reaches &lt;H2&gt;"/><property name="nodes" value="h1,r1"/></properties><skipped message="it gave no verdict"/></testcase>
  </testsuite>
</testsuites>
`);
  });

  test('has times in whole milliseconds', () => {
    const xml = junitXml(resultOf([sample({ seconds: 0.1 }), sample({ seconds: 0.2 })]), suite);
    expect(xml).toContain('skipped="0" time="0.3"');
  });

  test.each([{ complete: false }, { truncated: true }])('%j is an error of the suite', (changes) => {
    const xml = junitXml(resultOf([sample()], changes), suite);
    expect(xml).toContain('tests="2" failures="0" errors="1"');
    expect(xml).toContain('<error message="the tests were ended before their end');
  });
});
