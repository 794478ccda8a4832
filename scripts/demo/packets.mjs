// Packets from node to node, with nothing but Node: `serve` sends back what comes (UDP, port 7 as RFC 862 has it), and
// `ask HOST` sends three and says how long each was on its way. Both run inside a node, by `lab exec`.
import { createSocket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';

const port = 7;
const patienceMs = 5_000;

async function serve() {
  const socket = createSocket('udp4');
  socket.on('message', (message, { port: from, address }) => socket.send(message, from, address));
  socket.bind(port);
  await once(socket, 'listening');
  console.log('listening');
}

/** @param {string} host */
async function ask(host) {
  const { address } = await lookup(host, { family: 4 });
  const socket = createSocket('udp4');
  socket.connect(port, address);
  await once(socket, 'connect');
  for (const number of [1, 2, 3]) {
    const start = process.hrtime.bigint();
    socket.send(`packet ${number}`);
    const [reply] = await once(socket, 'message', { signal: AbortSignal.timeout(patienceMs) });
    const ms = Number(process.hrtime.bigint() - start) / 1e6;
    console.log(`"${reply}" came back from ${host} (${address}) after ${ms.toFixed(2)} ms`);
  }
  socket.close();
}

const [role, host = ''] = process.argv.slice(2);
await (role === 'serve' ? serve() : ask(host));
