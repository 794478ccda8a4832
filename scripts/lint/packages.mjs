/** Where packages may be imported; rooms are those of layers.mjs. */

/**
 * Packages and modules of Node that belong to one place. `only` has rows and files, as `may` has them.
 *
 * @type {readonly { name: RegExp, only: readonly string[], instead: string }[]}
 */
export const packages = [
  {
    name: /^(express|express-.*|helmet|@types\/express.*)$/,
    only: ['http/**'],
    instead:
      'Express lives in src/http only: pass plain values to http and let a router or middleware do this.',
  },
  {
    name: /^(ws|@types\/ws)(\/|$)/,
    only: ['http/**'],
    instead: 'WebSockets live in src/http only: let a route answer with one (`kind: websocket`).',
  },
  {
    name: /^@lydell\/node-pty(\/|$)/,
    only: ['labs/nodes'],
    instead:
      'Pseudo-terminals live in src/labs/nodes only, which loads the package when somebody wants one: it is optional.',
  },
  {
    name: /^(bullmq|ioredis)(\/|$)/,
    only: ['cluster'],
    instead:
      'Redis lives in src/cluster only, which is loaded when it is configured: go through cluster/model/cluster-service.ts.',
  },
  {
    name: /^elkjs(\/|$)/,
    only: ['labs/picture/lay-out.ts', 'labs/picture/arrange.ts'],
    instead:
      'elkjs takes seconds: it runs in the thread of labs/picture/layout-worker.ts only. Ask labs/picture/layout-thread.ts.',
  },
  {
    name: /^@modelcontextprotocol\//,
    only: ['mcp'],
    instead: 'The Model Context Protocol lives in src/mcp only: declare a tool there.',
  },
  {
    name: /^prom-client(\/|$)/,
    only: ['metrics'],
    instead:
      'Prometheus lives in src/metrics only: report what happens through a callback, and let service.ts join the two.',
  },
  {
    name: /^(@peculiar\/x509|reflect-metadata)(\/|$)/,
    only: ['tls/make-certificate.ts'],
    instead: 'Certificates are written by tls/make-certificate.ts only, which is loaded when one is due.',
  },
  {
    name: /^(node:)?child_process$/,
    only: [
      'jobs/run/process.ts',
      'lib/files/lock-file.ts',
      'labs/system/run.ts',
      'labs/nodes',
      'engine/system',
      // These give the terminal, or the namespaces of a lab, to the program that they start.
      'engine/namespaces/enter.ts',
      'engine/namespaces/holder.ts',
      'engine/commands/exec.ts',
    ],
    instead:
      'Processes start in jobs/run/process.ts, lib/files/lock-file.ts, labs/system/run.ts, labs/nodes and engine/system only: call one of those.',
  },
  {
    name: /^(node:)?process$/,
    only: [],
    instead: 'Use the global `process`, so that the rules on process.env and process.exit see it.',
  },
];
