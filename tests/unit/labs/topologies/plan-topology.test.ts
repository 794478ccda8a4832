import { describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { AllowedRoots } from '../../../../src/labs/system/allowed-roots.ts';
import { netlab } from '../../../../src/labs/drivers/netlab/netlab.ts';
import {
  givenTopologyFields,
  planTopology,
  type TopologyFields,
} from '../../../../src/labs/topologies/plan-topology.ts';
import { maxParsedLength } from '../../../../src/lib/text/yaml-depth.ts';
import { failureOf } from '../../../support/failure-of.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const root = temporaryDirectory();

async function plan(request: TopologyFields, workdir = root) {
  const { topologies } = netlab;
  return planTopology(request, {
    workdir,
    roots: new AllowedRoots([]),
    topologyHosts: ['127.0.0.1'],
    topologies,
  });
}

/** The sentence about the wrong field. */
async function refusalOf(topology: string | object): Promise<string> {
  const error = await failureOf(plan({ topology }));
  expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field: 'topology' }] });
  return error.errors[0]?.message ?? '';
}

test('an empty field counts as absent, and the first that is given counts', () => {
  expect(givenTopologyFields({ topologyUrl: '', topology: 'a', topologyPath: 'b' })).toEqual([
    'topology',
    'topologyPath',
  ]);
  expect(givenTopologyFields({ topologyUrl: 'u', topology: '', topologyPath: undefined })).toEqual([
    'topologyUrl',
  ]);
});

describe('a download', () => {
  test('is text like any other; what is wrong with it is said of the URL', async () => {
    const server = http.createServer(
      (req, res) => void res.end(req.url === '/lab.yml' ? 'name: x\n' : '- a\n'),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const request = { topology: 'nodes: [a]', topologyPath: 'x' };
    expect(await plan({ ...request, topologyUrl: `${base}/lab.yml` })).toEqual({
      file: undefined,
      text: 'name: x\n',
      isNamed: true,
    });
    const error = await failureOf(plan({ topologyUrl: `${base}/list.yml` }));
    expect(error).toMatchObject({ code: 'invalid-request', errors: [{ field: 'topologyUrl' }] });
    server.closeAllConnections();
    server.close();
  });
});

describe('text', () => {
  const filler = `# ${'x'.repeat(maxParsedLength)}\n`;

  test.each([
    { what: 'without a name', text: 'nodes: [a]\n', isNamed: false },
    { what: 'with a name', text: 'name: x\nnodes: [a]\n', isNamed: true },
    { what: 'with a name further in', text: 'nodes: { name: x }\n', isNamed: false },
    { what: 'that is long, with a name', text: `nodes: [a]\nname : x\n${filler}`, isNamed: true },
    { what: 'that is long, with "name"', text: `nodes: [a]\n"name": x\n${filler}`, isNamed: true },
    { what: "that is long, with 'name'", text: `'name': x\n${filler}`, isNamed: true },
    { what: 'that is long, with a name further in', text: `nodes:\n  name: x\n${filler}`, isNamed: false },
    { what: 'that is long, with other names', text: `surname: x\n# name: x\n${filler}`, isNamed: false },
    // The lab CLI says what is wrong with it.
    { what: 'that is long, and no YAML', text: `[\n${filler}`, isNamed: false },
  ])('$what is saved as it is: $isNamed', async ({ text, isNamed }) => {
    expect(await plan({ topology: text })).toEqual({ file: undefined, text, isNamed });
  });

  test('that is no YAML is refused with the line, on one line and without a colon at the end', async () => {
    const reason = await refusalOf('nodes: [a]\nlinks: [a-b\n');
    expect(reason).toMatch(/^is not YAML: a \] is missing.* at line \d+, column \d+$/);
  });

  test.each(['- a\n', 'a\n', '# nothing\n'])('%j is no mapping', async (text) =>
    expect(await refusalOf(text)).toContain('must be a YAML mapping'),
  );

  test('that nests too deeply is refused before it is parsed', async () => {
    expect(await refusalOf(`a: ${'['.repeat(10_000)}`)).toMatch(/^is not a topology: it has /);
  });
});

describe('an object', () => {
  test('becomes text of long lines and quoted words, every part written out', async () => {
    const shared = { device: 'frr' };
    const topology = { name: 'x', nodes: { a: shared, b: shared }, words: 'word '.repeat(40) };
    expect(await plan({ topology })).toEqual({
      file: undefined,
      isNamed: true,
      text: [
        'name: "x"',
        'nodes:',
        '  a:',
        '    device: "frr"',
        '  b:',
        '    device: "frr"',
        `words: "${'word '.repeat(40)}"`,
        '',
      ].join('\n'),
    });
    expect(await plan({ topology: { nodes: {} } })).toMatchObject({ isNamed: false });
  });

  test('that nests too deeply is refused', async () => {
    let topology: object = {};
    for (let level = 0; level < 100_000; level += 1) topology = { a: topology };
    expect(await refusalOf(topology)).toBe('is not a topology: it has more than 100 levels of nesting');
  });
});
