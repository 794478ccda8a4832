import { describe, expect, test } from '@jest/globals';
import { netlabStatus } from '../../../../../src/labs/drivers/netlab/netlab-status.ts';

describe('the state of a lab', () => {
  // The sentences of netsim/cli/up.py and down.py, and the words of the bundled engine.
  test.each([
    ['started', 'started'],
    ['starting', 'starting'],
    ['starting lab', 'starting'],
    ['restarting lab', 'starting'],
    ['starting provider clab', 'starting'],
    ['deploying initial configuration', 'starting'],
    ['initial configuration complete', 'starting'],
    ['reloading saved initial configurations', 'starting'],
    ['saved initial configurations reloaded', 'starting'],
    ['starting external tools', 'starting'],
    ['stopping', 'stopping'],
    ['stopping external tools', 'stopping'],
    ['external tools stopped', 'stopping'],
    ['lab shutdown requested', 'stopping'],
    ['missing', 'missing'],
    ['conflict -- trying to start lab in /labs/demo', 'other'],
    ['started?', 'other'],
    [7, 'other'],
    [undefined, 'other'],
  ])('%p is %s', (status, state) => {
    expect(netlabStatus.stateOf({ status })).toBe(state);
  });
});

describe('the states of nodes', () => {
  test.each([
    ['Up 4 seconds', 'up'],
    ['Up', 'up'],
    ['running', 'up'],
    ['Exited (137) 2 minutes ago', 'down'],
    ['missing', 'down'],
    ['Not running', 'down'],
    ['Upset', 'down'],
    ['Unknown', 'unknown'],
    [true, 'unknown'],
  ])('%p is %s', (status, state) => {
    const document = Buffer.from(JSON.stringify({ nodes: { r1: { status } } }));
    expect(netlabStatus.nodesOf(document, 0)).toMatchObject([{ name: 'r1', state }]);
  });

  test.each(['', 'no JSON', '[]', '{}', '{"nodes": []}', '{"nodes": null}'])('of %p are none', (text) => {
    expect(netlabStatus.nodesOf(Buffer.from(text), 0)).toEqual([]);
  });
});
