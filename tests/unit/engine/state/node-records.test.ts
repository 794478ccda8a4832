import { describe, expect, test } from '@jest/globals';
import { forgetLab } from '../../../../src/engine/state/instance-lock.ts';
import { hostsText, readNodeRecords, writeNodeRecords } from '../../../../src/engine/state/node-records.ts';
import { handMadeLab } from '../../../support/engine-lab.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const directory = temporaryDirectory();

describe('the record of a lab', () => {
  const base = handMadeLab({ links: [['h1', 'r1']], ipv6: true });
  const nodes = base.nodes.map((node) =>
    node.name === 'r1' ? { ...node, loopback: { ipv4: '10.0.0.9/32' } } : node,
  );

  test('has what the other commands need, until it is removed', async () => {
    await writeNodeRecords(directory, { ...base, nodes });
    const record = await readNodeRecords(directory, 'default');
    expect(record.map(({ name, namespace }) => [name, namespace])).toEqual([
      ['h1', 'lab-default-h1'],
      ['r1', 'lab-default-r1'],
    ]);
    await forgetLab(directory, 'default');
    expect(await readNodeRecords(directory, 'default')).toEqual([]);
  });

  test('becomes /etc/hosts, a loopback before the first interface', async () => {
    const record = await writeNodeRecords(directory, { ...base, nodes });
    expect(hostsText(record).split('\n').slice(2)).toEqual([
      '10.100.1.1\th1',
      'fd00:0:1::1\th1',
      '10.0.0.9\tr1',
      'fd00:0:1::2\tr1',
      '',
    ]);
  });
});
