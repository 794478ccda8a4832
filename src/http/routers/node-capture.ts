import * as z from 'zod';
import { noteStream } from '../middleware/observe-requests.ts';
import { startStream, streamSignal, writePaced } from '../reply/stream.ts';
import { once, secondsParameter, wholeNumberParameter } from '../request/query.ts';
import { userOf } from '../request/user.ts';
import { defineRoute } from '../route.ts';
import { interfaceParams, nodeErrors, nodeNameOf } from './node-parts.ts';

const maxSeconds = 3_600;
const mediaTypes = { pcap: 'application/vnd.tcpdump.pcap', text: 'text/plain' } as const;

const querySchema = z.object({
  filter: once
    .max(1_000, 'must be at most 1000 characters')
    .regex(/^(?!\s*-)[^\0]*$/, 'must not begin with -')
    .default('')
    .describe('Which packets, as pcap-filter(7) has it: `ip proto ospf`. Default: all.'),
  packets: wholeNumberParameter(1, 10_000_000).optional().describe('It ends after so many.'),
  seconds: secondsParameter(maxSeconds).default(60).describe('It ends after so long.'),
  snaplen: wholeNumberParameter(16, 262_144).default(262_144).describe('As many bytes of each packet.'),
  output: z
    .enum(['pcap', 'text'])
    .default('pcap')
    .describe('As a file, or as `tcpdump -nev` prints the packets.'),
});

export const captureInNode = defineRoute({
  method: 'get',
  path: '/labs/:id/nodes/:node/interfaces/:interface/capture',
  permission: 'operate',
  about: 'lab',
  isForOwnSite: () => true,
  tag: 'nodes',
  operationId: 'captureInNode',
  summary: 'The packets at an interface, while they come',
  description:
    'A file in the format of pcap, packet by packet: `curl -N …/capture | wireshark -k -i -`. With `output=text`, the packets as text. It ends after `packets` or `seconds`, after 1 GiB, or when the client goes away. `tcpdump` runs on the lab server, in the network of the node; in a node of netlab that is no container this is 422 `not-supported`.',
  params: interfaceParams,
  query: querySchema,
  replies: {
    200: {
      description: 'The packets.',
      content: { [mediaTypes.pcap]: 'bytes', [mediaTypes.text]: 'bytes' },
      headers: ['Cache-Control'],
    },
  },
  errors: [...nodeErrors, 'interface-not-found'],
  handler: async ({ lab, params, query, req, res, context: { log, observer, shutdown } }) => {
    const { seconds, output, packets: most, ...rest } = query;
    const isText = output === 'text';
    const request = { ifname: params.interface, timeMs: seconds * 1_000, ...rest, packets: most, isText };
    const packets = await lab.node(params.node).capture(request, streamSignal(res, shutdown));
    log.info('packets are captured', {
      requestId: req.id,
      user: userOf(req),
      ...nodeNameOf(params),
      interface: params.interface,
    });
    noteStream(res, 'capture', observer);
    startStream(res, isText ? `${mediaTypes.text}; charset=utf-8` : mediaTypes.pcap);
    for await (const bytes of packets) await writePaced(res, bytes);
    if (shutdown.aborted) res.destroy();
    else res.end();
    return { kind: 'sent' };
  },
});
