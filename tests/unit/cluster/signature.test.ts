import { expect, test } from '@jest/globals';
import { Signatures } from '../../../src/cluster/signature.ts';

const ours = new Signatures('a secret of at least 32 characters, ours');

test('what was signed is read again as it was', () => {
  for (const value of [null, 'text', { a: [1, 'ä', { b: null }] }, 'with.dots.in it'])
    expect(ours.verify('message', ours.sign('message', value))).toEqual(value);
});

test('nothing else is believed', () => {
  const signed = ours.sign('message', { action: 'up' });
  const others = new Signatures('a secret of at least 32 characters, theirs');
  const [mac, text] = signed.split('.') as [string, string];
  for (const wrong of [
    others.sign('message', { action: 'up' }),
    ours.sign('pass', { action: 'up' }),
    signed.replace('up', 'down'),
    `${mac}.${text} `,
    `${mac.slice(1)}.${text}`,
    `.${text}`,
    text,
    '',
    '.',
  ])
    expect(ours.verify('message', wrong)).toBeUndefined();
});
