/** Packets, logs and impaired links of nodes that are containers; programs of the test are in place of those that are run. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { once } from 'node:events';
import { processesWith } from '../support/environments.ts';
import { eventually } from '../support/eventually.ts';
import { MemoryLogger } from '../support/memory-logger.ts';
import { groundVariable, makeNodeGround } from '../support/node-ground.ts';
import { scraped } from '../support/scraped.ts';
import { startService, type RunningService } from '../support/service.ts';

const { ground, env, runs, setPrinted, setQdiscs, loseNetem } = makeNodeGround();
const node = '/labs/default/nodes/r1';
const eth1 = `${node}/interfaces/eth1`;

const log = new MemoryLogger();
let service: RunningService;
beforeAll(async () => {
  service = await startService({ ground, env: { ...env, LAB_API_MAX_NODE_SESSIONS: '2' }, log });
});

const processes = (): number[] => processesWith(`${groundVariable}=${ground.env[groundVariable]}`);
const nothingIsLeft = async () => eventually('nothing is left', () => processes().length === 0);
const put = async (body: unknown, at = eth1) => service.request(`${at}/impairment`, { method: 'PUT', body });
const clients = async (kind: string) => scraped(service, 'lab_api_stream_clients', { kind });
const ranLast = (program: string): string | undefined => runs().findLast((line) => line.startsWith(program));

describe('a capture', () => {
  test('asks for what the query says, and ends so that its last packet is whole', async () => {
    const query = 'packets=10&seconds=0.3&snaplen=128&filter=ip%20proto%20ospf%20%26%26%20(host%2010.0.0.1)';
    const reply = await service.get(`${eth1}/capture?${query}`);
    expect(reply).toMatchObject({ status: 200, text: 'headend' });
    expect(reply.headers['content-type']).toBe('application/vnd.tcpdump.pcap');
    expect(ranLast('tcpdump')).toBe(
      'tcpdump -i eth1 --immediate-mode -U -w - -s 128 -c 10 -- ip proto ospf && (host 10.0.0.1)',
    );
    await nothingIsLeft();
  });

  test('comes as text, too', async () => {
    const reply = await service.get(`${eth1}/capture?packets=10&seconds=0.3&output=text&filter=arp`);
    expect(reply).toMatchObject({ status: 200, text: 'headend' });
    expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(ranLast('tcpdump')).toBe('tcpdump -i eth1 --immediate-mode -l -n -e -v -s 262144 -c 10 -- arp');
    await nothingIsLeft();
  });

  test('ends with its client, who is counted until then', async () => {
    const message = await service.open(`${eth1}/capture`);
    await once(message, 'data');
    expect(processes()).not.toEqual([]);
    expect(await clients('capture')).toBe(1);
    expect(ranLast('tcpdump')).toBe('tcpdump -i eth1 --immediate-mode -U -w - -s 262144 --');
    message.destroy();
    await nothingIsLeft();
    await eventually('the client is not counted any more', async () => (await clients('capture')) === 0);
  });

  test('is in the log of the service', async () => {
    await service.get(`${eth1}/capture?seconds=0.1`, { 'X-Request-Id': 'captures' });
    expect(log.entries).toContainEqual({
      level: 'info',
      message: 'packets are captured',
      fields: { requestId: 'captures', user: null, lab: 'default', node: 'r1', interface: 'eth1' },
    });
    await nothingIsLeft();
  });

  test.each([
    ['eth9/capture', 404, 'interface-not-found'],
    ['any/capture', 404, 'interface-not-found'],
    ['usbmon1/capture', 404, 'interface-not-found'],
    ['-D/capture', 404, 'interface-not-found'],
    ['eth1%20-w%20x/capture', 404, 'interface-not-found'],
    ['eth1/capture?filter=bad', 400, 'invalid-request'],
    ['eth1/capture?filter=-w%20/etc/passwd', 400, 'invalid-request'],
    ['eth1/capture?filter=%20-z%20reboot', 400, 'invalid-request'],
    ['eth1/capture?filter=nobody', 422, 'not-supported'],
    ['eth1/capture?packets=0', 400, 'invalid-request'],
    ['eth1/capture?output=json', 400, 'invalid-request'],
    ['eth1/capture?seconds=999999', 400, 'invalid-request'],
    ['eth1/capture?snaplen=-1', 400, 'invalid-request'],
    [`eth1/capture?filter=${'a'.repeat(1_001)}`, 400, 'invalid-request'],
    ['eth1/capture?filter=a%00b', 400, 'invalid-request'],
    ['eth1/capture?file=x', 400, 'invalid-request'],
  ])('%s is refused: %i %s', async (path, status, code) => {
    expect(await service.get(`${node}/interfaces/${path}`)).toMatchObject({ status, json: { code } });
    expect(processes()).toEqual([]);
  });

  test('one too many is refused', async () => {
    const open = [await service.open(`${eth1}/capture`), await service.open(`${node}/log?follow=true`)];
    expect(await service.get(`${eth1}/capture`)).toMatchObject({
      status: 429,
      headers: { 'retry-after': '5' },
      json: { code: 'too-many-sessions' },
    });
    for (const message of open) message.destroy();
    await nothingIsLeft();
  });
});

describe('a log', () => {
  test('has what the node printed, on both of its streams', async () => {
    const reply = await service.get(`${node}/log?tail=20`);
    expect(reply).toMatchObject({ status: 200, text: 'out\nerr\n' });
    expect(ranLast('docker')).toBe('docker logs --tail 20 clab-demo-r1');
    // It is no stream: how long it took is measured.
    const route = { route: '/labs/:id/nodes/:node/log', method: 'GET' };
    await eventually('its time to be counted', async () =>
      scraped(service, 'lab_api_http_request_duration_seconds_count', route),
    );
  });

  test('is followed until the client goes away', async () => {
    const message = await service.open(`${node}/log?follow=true`);
    await once(message, 'data');
    expect(ranLast('docker')).toBe('docker logs --follow clab-demo-r1');
    expect(await clients('node-log')).toBe(1);
    message.destroy();
    await nothingIsLeft();
  });

  test('has its escape sequences as the node printed them, or none of them', async () => {
    const red = '\u001B[31mred\u001B[0m \u001B]0;title\u0007\n';
    setPrinted(red);
    expect((await service.get(`${node}/log`)).text).toBe(`${red}err\n`);
    expect((await service.get(`${node}/log?plain=false`)).text).toBe(`${red}err\n`);
    const plain = await service.get(`${node}/log?plain=true`);
    expect(plain).toMatchObject({
      text: 'red \nerr\n',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
    });
    setPrinted('out\n');
  });

  test.each(['tail=-1', 'tail=1000001', 'follow=yes', 'plain=1', 'since=1h'])(
    'with %s is refused',
    async (query) => {
      expect((await service.get(`${node}/log?${query}`)).json.code).toBe('invalid-request');
    },
  );
});

describe('an impairment', () => {
  test('is set with one command, whatever was there before', async () => {
    const options = {
      limit: 1000,
      delay: { delay: 0.1, jitter: 0.01, correlation: 0 },
      'loss-random': { loss: 0.015, correlation: 0 },
      duplicate: { duplicate: 0.01, correlation: 0 },
      corrupt: { corrupt: 0.001, correlation: 0 },
      rate: { rate: 125_000, packetoverhead: 0, cellsize: 0, celloverhead: 0 },
    };
    setQdiscs([{ kind: 'netem', handle: '8001:', root: true, options }]);
    const wanted = {
      delayMs: 100,
      jitterMs: 10,
      lossPercent: 1.5,
      duplicatePercent: 1,
      corruptPercent: 0.1,
      rateKbps: 1000,
    };
    const reply = await put(wanted);
    expect(reply).toMatchObject({ status: 200, json: { isImpaired: true, ...wanted } });
    expect(runs()).toContain(
      'tc qdisc replace dev eth1 root netem delay 100ms 10ms loss 1.5% duplicate 1% corrupt 0.1% rate 1000kbit',
    );
    expect((await service.get(`${eth1}/impairment`)).json).toEqual({ isImpaired: true, ...wanted });
  });

  test('is in the log of the service', async () => {
    const headers = { 'X-Request-Id': 'impairs' };
    await service.request(`${eth1}/impairment`, { method: 'PUT', body: { delayMs: 600_000 }, headers });
    expect(log.entries).toContainEqual({
      level: 'info',
      message: 'a link was impaired',
      fields: { requestId: 'impairs', user: null, lab: 'default', node: 'r1', interface: 'eth1' },
    });
  });

  test.each([
    [{}, 'body'],
    [{ delayMs: 0 }, 'body'],
    [{ delayMs: -1 }, 'delayMs'],
    [{ delayMs: '1ms; reboot' }, 'delayMs'],
    [{ delayMs: 600_001 }, 'delayMs'],
    [{ lossPercent: 101 }, 'lossPercent'],
    [{ rateKbps: 1_000_000_001 }, 'rateKbps'],
    [{ lossPercent: null }, 'lossPercent'],
    [{ delay: 100 }, 'body'],
    ['nothing', 'body'],
  ])('%j is refused', async (body, field) => {
    const reply = await put(JSON.stringify(body));
    expect(reply).toMatchObject({ status: 400, json: { code: 'invalid-request', errors: [{ field }] } });
  });

  test('of a page of another site is refused', async () => {
    const headers = { Origin: 'https://evil.example' };
    const reply = await service.request(`${eth1}/impairment`, {
      method: 'PUT',
      headers,
      body: { delayMs: 1 },
    });
    expect(reply.json.code).toBe('cross-site');
  });

  test('is 422 where the kernel has none', async () => {
    loseNetem();
    expect(await put({ delayMs: 100 })).toMatchObject({
      status: 422,
      json: { code: 'not-supported', detail: expect.stringMatching(/sch_netem: .*qdisc kind is unknown/) },
    });
  });
});

describe('a node that is no container', () => {
  test.each([
    ['GET', 'log'],
    ['GET', 'interfaces/eth1/capture'],
    ['GET', 'interfaces/eth1/impairment'],
    ['POST', 'exec'],
  ])('%s %s is 422, with the reason', async (method, path) => {
    const body = method === 'POST' ? { command: ['true'] } : undefined;
    const reply = await service.request(`/labs/default/nodes/vm/${path}`, { method, body });
    expect(reply).toMatchObject({
      status: 422,
      json: {
        code: 'not-supported',
        detail: expect.stringContaining('vm is no container (its provider is libvirt)'),
      },
    });
  });
});

describe('a lab that is not up', () => {
  test('is 409 for everything', async () => {
    for (const path of ['log', 'interfaces/eth1/capture', 'interfaces/eth1/impairment'])
      expect((await service.get(`/labs/half/nodes/r1/${path}`)).json.code).toBe('lab-not-up');
  });
});

test('a service that stops cuts off what it sends: nobody takes it for the whole', async () => {
  const messages = [await service.open(`${eth1}/capture`), await service.open(`${node}/log?follow=true`)];
  const ends = messages.map(async (message) => once(message.resume(), 'end'));
  await Promise.all([service.stop(), ...ends.map(async (end) => expect(end).rejects.toThrow(/aborted/))]);
  await nothingIsLeft();
});
