/** The hints and explanations of the editor in a topology. */
import { describe, expect, test } from '@jest/globals';
import { supportedAttributes, type AttributeKind } from '../../../src/engine/topology/attributes.ts';
import { docAt, hintsAt, infoAt } from '../../../web/dashboard/src/pages/workspaces/editor/topology-hints.ts';
import { topologyInfo, type KeyInfo } from '../../../web/dashboard/src/parts/topology/topology-keys.ts';

const around = { nodes: ['r1', 'h1'], devices: ['linux', 'our-device'] };

/** The hints at the `|`, and the text that they replace. */
function offered(text: string) {
  const offset = text.indexOf('|');
  const plain = text.replace('|', '');
  const { from, hints } = hintsAt(plain, offset, around);
  return { typed: plain.slice(from, offset), labels: hints.map(({ label }) => label) };
}

describe('offered are', () => {
  test('keys of the topology', () => {
    const { typed, labels } = offered('no|');
    expect(typed).toBe('no');
    expect(labels).toEqual(
      expect.arrayContaining(['nodes', 'links', 'defaults', 'groups', 'module', 'validate']),
    );
    expect(labels).not.toContain('r1');
  });

  test('keys below a dotted one', () => {
    const { typed, labels } = offered('defaults.de|');
    expect(typed).toBe('de');
    expect(labels).toContain('device');
    expect(labels).not.toContain('nodes');
  });

  test('attributes of a node, and devices for its device, those of this server too', () => {
    expect(offered('nodes:\n  r1:\n    |').labels).toEqual(
      expect.arrayContaining(['device', 'role', 'loopback']),
    );
    const { labels } = offered('nodes:\n  r1:\n    device: |');
    expect(labels).toEqual(expect.arrayContaining(['frr', 'eos', 'our-device']));
    expect(labels.filter((label) => label === 'linux')).toHaveLength(1);
  });

  test('nodes, for the ends of links', () => {
    expect(offered('links:\n- |').labels).toEqual(expect.arrayContaining(['r1', 'h1', 'bandwidth']));
    expect(offered('links:\n- r1-|')).toEqual({ typed: '', labels: ['r1', 'h1'] });
    expect(offered('links:\n- r1-h|')).toEqual({ typed: 'h', labels: ['r1', 'h1'] });
    expect(offered('links:\n- r1:\n  |').labels).toEqual(expect.arrayContaining(['h1', 'prefix']));
  });

  test('modules and yes or no', () => {
    expect(offered('module: [ |').labels).toContain('ospf');
    expect(offered('links:\n- r1:\n  disable: |').labels).toEqual(['true', 'false']);
  });

  test('nothing for a free text', () => {
    expect(offered('name: |').labels).toEqual([]);
  });
});

describe('an explanation', () => {
  const text = 'nodes:\n  r1:\n    role: router\nmodule: [ospf]\nlinks:\n- r1:\n  bandwidth: 3\n';

  test('belongs to the key at the cursor', () => {
    expect(docAt(text, text.indexOf('role'))).toMatchObject({ key: 'nodes.r1.role' });
    expect(docAt(text, text.indexOf('router'))).toBeUndefined();
  });

  test('names keys that the bundled engine ignores', () => {
    expect(docAt(text, text.indexOf('module'))?.doc).toContain('bundled engine');
    expect(docAt(text, text.indexOf('bandwidth'))?.doc).toContain('bundled engine');
    expect(docAt(text, text.indexOf('nodes'))?.doc).not.toContain('bundled engine');
  });
});

describe('the description', () => {
  test.each<[AttributeKind, readonly string[]]>([
    ['topology', []],
    ['node', ['nodes', 'r1']],
    ['group', ['groups', 'g']],
    ['link', ['links', '[]']],
    ['interface', ['links', '[]', 'r1']],
    ['loopback', ['nodes', 'r1', 'loopback']],
    ['prefix', ['prefix', 'p']],
    ['pool', ['addressing', 'lan']],
  ])('has all attributes that the bundled engine supports for a %s', (kind, path) => {
    const keys = infoAt(path)?.keys ?? {};
    expect(supportedAttributes(kind).filter((key) => keys[key] === undefined)).toEqual([]);
  });

  test('explains each key in one sentence', () => {
    const seen = new Set<KeyInfo>();
    const wrong: string[] = [];
    const look = (info: KeyInfo): void => {
      if (seen.has(info)) return;
      seen.add(info);
      if (!/^[A-Z].*\.$/.test(info.doc) || info.doc.includes('\n')) wrong.push(info.doc);
      for (const one of [...Object.values(info.keys ?? {}), info.each, info.item]) if (one) look(one);
    };
    look(topologyInfo);
    expect(wrong).toEqual([]);
    expect(seen.size).toBeGreaterThan(100);
  });
});
