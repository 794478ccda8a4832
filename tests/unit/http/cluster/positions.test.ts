import { expect, test } from '@jest/globals';
import { decodePositions, encodePositions } from '../../../../src/http/cluster/positions.ts';

test('one id stands for the place in the feeds of all hosts', () => {
  const positions = new Map([
    ['host-1', 'feed-a-17'],
    ['host-2', 'feed=b'],
  ]);
  expect(decodePositions(encodePositions(positions))).toEqual(positions);
  expect(decodePositions(encodePositions(new Map()))).toEqual(new Map());
});

test.each(['', 'feed-a-17', 'host:x=1'])('"%s" is of a service that worked alone', (id) =>
  expect(decodePositions(id)).toBeUndefined(),
);
test('what is no place in it is passed over', () => {
  expect(decodePositions('hosts:a=1,,nonsense,=2,b=')).toEqual(
    new Map([
      ['a', '1'],
      ['b', ''],
    ]),
  );
});
