import { describe, expect, test } from '@jest/globals';
import { errorSentence } from '../../../../../src/labs/drivers/containerlab/error-sentence.ts';
import { recorded } from '../../../../support/containerlab-recorded.ts';

function sentence(logTail: string, rest: Partial<Parameters<typeof errorSentence>[0]> = {}): string {
  return errorSentence({
    action: 'up',
    workdir: '/labs/demo',
    cliName: 'containerlab',
    exitCode: 1,
    signal: null,
    logTail,
    ...rest,
  });
}

describe('what containerlab 0.79 printed', () => {
  test.each([
    [
      'image-missing',
      'the image images.invalid/no/such:1 is not on this server, and could not be pulled: ' +
        'Get "https://images.invalid/v2/": dial tcp: lookup images.invalid on 192.0.2.53:53: no such host',
    ],
    ['wrong-kind', 'Constructing node "a": kind "lunix" is not supported.'],
    ['yaml', "Failed to read topology file: yaml: line 4: did not find expected ',' or '}'"],
    [
      'unknown-field',
      'Failed to read topology file: yaml: unmarshal errors: ' +
        'line 4: field imagee not found in type types.NodeDefinitionWithDeprecatedFields',
    ],
    ['unknown-node', 'Unable to find node b'],
    ['port-taken', 'node "a" deploy: Bind for 0.0.0.0:18999 failed: port is already allocated'],
    ['link-not-supported', 'node "ct-a" deploy links: operation not supported'],
    [
      'no-permission',
      'containerlab needs root rights: run the service as root, or containerlab as SUID (docs/containerlab.md)',
    ],
    [
      'no-docker',
      'containerlab needs Docker: Cannot connect to the Docker daemon at tcp://127.0.0.1:1. Is the docker daemon running?',
    ],
    ['unknown-lab', "Lab 'ct-nope' not found - no running containers"],
  ])('errors/%s.log', (name, cause) => {
    expect(sentence(recorded(`errors/${name}.log`))).toBe(cause);
  });

  test('who may not ask Docker is told so', () => {
    expect(sentence(recorded('errors/no-permission-inspect.log'), { action: 'status' })).toMatch(
      /^Failed to init the container runtime: permission denied while .* to the Docker daemon socket at unix:/,
    );
  });

  test.each(['restart', 'down'] as const)('%s of a lab whose file has a fault says what to do', (action) => {
    expect(sentence(recorded('errors/yaml-redeploy.log'), { action })).toBe(
      `Failed to read topology file: ` +
        `yaml: line 4: did not find expected ',' or '}': mend the topology file of the lab`,
    );
  });

  test('a template without its variables is no file with a fault', () => {
    const log =
      '\n   ERROR  \n\n  Failed to read topology file: failed to execute template: template: a.clab.yml:3:14: executing\n  "a.clab.yml" at <index .hosts 0>: error calling index: index of untyped nil.\n';
    expect(sentence(log, { action: 'down' })).toMatch(
      /untyped nil: put the variables of the template beside it, as NAME\.clab_vars\.yml/,
    );
    expect(sentence(log, { action: 'up' })).toMatch(/untyped nil$/);
  });

  test('a node that exec does not find', () => {
    const output = 'Filter did not match any containers.';
    const nodes = [{ node: 'x9', output, truncated: false, exitCode: null }];
    const result = { kind: 'outputs', complete: true, nodes } as const;
    const told = (of: typeof result | null): string =>
      sentence(recorded('exec/no-node.log'), { action: 'exec', result: of && { ...of, nodes: [...nodes] } });
    expect(told(result)).toBe(
      'the lab has no node "x9", or is not up, and nothing was executed: GET /labs/{id} lists its nodes',
    );
    expect(told(null)).toBe('the lab has no node, and nothing was executed: "up" starts it');
  });

  test('a good log names no cause', () => {
    expect(sentence(recorded('up.log'), { exitCode: null, signal: 'SIGKILL' })).toBe(
      'containerlab up was ended by signal SIGKILL',
    );
  });
});

test('what to do is told also where every line of a file has a fault', () => {
  const faults = Array.from({ length: 100 }, (_, line) => `  line ${line}: field imagee not found\n`).join(
    '',
  );
  const log = `\n   ERROR  \n\n  Failed to read topology file: yaml: unmarshal errors:\n${faults}`;
  expect(sentence(log, { action: 'restart' })).toMatch(/…: mend the topology file of the lab$/);
});

test('a file with variables that is not there is not to be mended', () => {
  const log =
    '\n   ERROR  \n\n  Failed to read topology file: stat /labs/x.yml: no such file or directory.\n';
  expect(sentence(log, { action: 'restart' })).toMatch(/: no such file or directory$/);
});

describe('of several nodes that failed', () => {
  const line = (node: string, why: string): string => `18:57:25 ERRO node "${node}" deploy: ${why}\n`;
  const last = '\n   ERROR  \n\n  Deployment failed for one or more nodes: node "r1".\n\n';

  test('each is told once, in colours or not', () => {
    const log = `${line('r1', 'no space')}${line('r1', 'no space')}\u001b[31m${line('r2', 'gone')}\u001b[0m${last}`;
    expect(sentence(log)).toBe('node "r1" deploy: no space; node "r2" deploy: gone');
  });

  test('those that were given up because of another are not the cause, unless there is none', () => {
    const canceled = line('r2', 'Post "http://docker/start": context canceled');
    expect(sentence(`${canceled}${line('r1', 'no space')}${last}`)).toBe('node "r1" deploy: no space');
    expect(sentence(`${canceled}${last}`)).toContain('node "r2" deploy: Post');
  });
});

test.each([
  // Broken at a hyphen of its own, and at a blank.
  ['  Node ext-\n  container is not\n  there.\n', 'Node ext-container is not there'],
  ['\n\n  Only this.\n\n  Use --help for more.\n', 'Only this'],
])('below the headline: %j', (text, cause) => {
  expect(sentence(`18:57:25 INFO x\n          \n   ERROR  \n          \n${text}`)).toBe(cause);
});

test.each([
  // Nothing below the headline, or cut off.
  ['\n   ERROR  \n', ''],
  ['18:57:25 ERRO half\n\n   ERROR  \n', ': half'],
  // What a node has printed.
  ['in h1: 18:57:25 ERRO not mine\n', ''],
  ['18:57:25 FATA mine\n', ': mine'],
  ['an  ERROR  \n\n  not mine\n', ''],
])('%j', (log, cause) => {
  expect(sentence(log)).toBe(cause === '' ? 'containerlab up failed with exit code 1' : cause.slice(2));
});

test('the exit codes of a command in nodes come first', () => {
  const node = (name: string, exitCode: number | null) => ({
    node: name,
    output: '',
    truncated: false,
    exitCode,
  });
  const nodes = [node('r1', 3), node('r2', 0), node('h1', 127)];
  const result = { kind: 'outputs', complete: true, nodes } as const;
  expect(sentence('', { action: 'exec', exitCode: 0, result: { ...result, nodes } })).toContain(
    'in r1 the command ended with exit code 3; in h1 the command ended with exit code 127',
  );
});

describe('a log that says less than most', () => {
  const last = (text: string): string => `\n   ERROR  \n\n  ${text}\n`;

  test('names an image that it does not tell why it was not pulled, or not even which', () => {
    expect(
      sentence(`18:57:25 ERRO Failed to pull image image=no/such:1\n${last('no such host.')}`),
    ).toContain('the image no/such:1 is not on this server, and could not be pulled: no such host');
    expect(sentence(last('Failed to pull image.'))).toContain(
      'the image is not on this server, and could not be pulled: Failed to pull image',
    );
    expect(sentence(`18:57:25 ERRO Failed to pull image image="a \\"b\\"" err=no\n${last('x.')}`)).toContain(
      'the image a "b" is not on this server, and could not be pulled: no',
    );
  });

  test('has its last error, where several nodes failed and none says why', () => {
    const error = 'Deployment failed for one or more nodes: node "r1"';
    expect(sentence(last(`${error}.`))).toBe(error);
  });

  test('has the last of several errors, and of its kinds none', () => {
    expect(sentence(`${last('One.')}${last('Other.')}`)).toBe('Other');
    expect(sentence(last('kind "lunix" is not supported. Supported kinds are a, b, c'))).toMatch(
      /^kind "lunix" is not supported\.$/,
    );
    expect(sentence(last('Failed to read topology file: x. Consult with release notes for changes'))).toMatch(
      /^Failed to read topology file: x\.$/,
    );
  });
});
