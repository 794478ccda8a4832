/**
 * Who may import whom. The linter, tests/repo/import-graph.test.ts and the picture in docs/architecture.md follow this table: an
 * arrow is changed here.
 * A row is a folder of src without the folders in it, or one file that stands higher than the rest of its folder. It may
 * import itself, and of the rows above it those that it names: arrows run one way, so nobody can write a circle.
 * @typedef {object} Row
 * @property {string} at A folder or a file below src.
 * @property {readonly string[]} may Rows, single files of a row, or `labs/**`: that row and all that are in its folder.
 * @property {string} instead What the reader does when the linter refuses an import.
 * @property {boolean} [isPlanned] The design has this folder, and it is not there yet.
 */
import * as to from './advice.mjs';

const lib = ['lib', 'lib/async', 'lib/cache', 'lib/files', 'lib/net', 'lib/processes', 'lib/text'];
const core = [...lib, 'engine/core'];
const plan = [...core, 'engine/topology', 'engine/routing', 'engine/system'];
const lab = [...plan, 'engine/addressing', 'engine/state'];
const command = [...lab, 'engine/lab', 'engine/namespaces', 'engine/validation'];

const asked = [...lib, 'labs/model', 'labs/system'];
const driver = [...asked, 'labs/drivers'];
const labs = [
  ...driver,
  'labs/drivers/**',
  'labs/program',
  'labs/plan',
  'labs/results',
  'labs/topologies',
  'labs/templates',
  'labs/status',
  'labs/nodes',
  'labs/ids',
  'labs/picture',
  'labs/workspaces',
];
const words = [...lib, 'labs/model'];
const store = [...words, 'jobs/model'];
const log = [...store, 'jobs/store'];
const run = [...log, 'jobs/log'];
const intake = [...run, 'jobs/run'];
const view = [...intake, 'jobs/job-service.ts'];
const service = [...view, 'jobs/intake', 'jobs/view'];

const ports = [
  ...lib,
  'labs/**',
  'access/model',
  'jobs/job-service.ts',
  'jobs/model',
  'events/model',
  'cluster/model',
  'leases/lease-service.ts',
  'owners/owner-service.ts',
];
const port = [...ports, 'lib/archives', 'config', 'restricted'];
const reply = [...port, 'http/http-observer.ts', 'http/reply', 'http/request'];
const routers = [...reply, 'http/middleware', 'http'];

const parts = [
  ...lib,
  'config',
  'version.ts',
  'labs/**',
  'jobs/**',
  'access/**',
  'events/**',
  'leases',
  'owners',
  'restricted',
  'cluster/**',
  'metrics',
  'mcp',
  'http/**',
  'tls',
];

/** @type {readonly Row[]} From the bottom to the top. */
export const rows = [
  { at: 'lib', may: lib, instead: to.lib },
  { at: 'lib/async', may: lib, instead: to.lib },
  { at: 'lib/cache', may: lib, instead: to.lib },
  { at: 'lib/files', may: lib, instead: to.lib },
  { at: 'lib/net', may: lib, instead: to.lib },
  { at: 'lib/processes', may: lib, instead: to.lib },
  { at: 'lib/text', may: lib, instead: to.lib },
  {
    at: 'lib/archives',
    may: [...lib],
    instead:
      'src/lib/archives packs and unpacks archives and knows nothing of the product: it imports lib only. Take limits and what is to be told as parameters.',
  },
  { at: 'version.ts', may: [...lib], instead: to.root },
  {
    at: 'config',
    may: [...lib],
    instead: 'src/config imports config and lib only: it describes settings and does not act on them.',
  },

  { at: 'engine/core', may: [...lib], instead: to.engine },
  { at: 'engine/topology', may: core, instead: to.engine },
  { at: 'engine/routing', may: core, instead: to.engine },
  { at: 'engine/system', may: core, instead: to.engine },
  { at: 'engine/addressing', may: plan, instead: to.engine },
  { at: 'engine/state', may: plan, instead: to.engine },
  { at: 'engine/lab', may: lab, instead: to.engine },
  { at: 'engine/namespaces', may: lab, instead: to.engine },
  { at: 'engine/validation', may: lab, instead: to.engine },
  { at: 'engine/commands', may: command, instead: to.engine },
  { at: 'engine', may: [...command, 'engine/commands'], instead: to.engine },

  { at: 'labs/model', may: lib, instead: to.labs },
  { at: 'labs/system', may: [...lib, 'labs/model'], instead: to.labs },
  { at: 'labs/drivers', may: asked, instead: to.labs },
  { at: 'labs/drivers/netlab/errors', may: asked, instead: to.labs },
  { at: 'labs/drivers/netlab/results', may: driver, instead: to.labs },
  {
    at: 'labs/drivers/netlab',
    may: [...driver, 'labs/drivers/netlab/errors', 'labs/drivers/netlab/results'],
    instead: to.labs,
  },
  { at: 'labs/drivers/engine', may: [...driver, 'labs/drivers/netlab'], instead: to.labs },
  { at: 'labs/drivers/containerlab', may: driver, instead: to.labs },
  {
    at: 'labs/drivers/drivers.ts',
    may: [...driver, 'labs/drivers/netlab', 'labs/drivers/engine', 'labs/drivers/containerlab'],
    instead: to.labs,
  },
  { at: 'labs/program', may: driver, instead: to.labs },
  { at: 'labs/topologies', may: driver, instead: to.labs },
  { at: 'labs/templates', may: driver, instead: to.labs },
  { at: 'labs/status', may: driver, instead: to.labs },
  { at: 'labs/nodes', may: [...driver, 'labs/status'], instead: to.labs },
  { at: 'labs/ids', may: driver, instead: to.labs },
  {
    at: 'labs/picture',
    may: [...driver, 'labs/program', 'labs/status', 'labs/topologies'],
    instead: to.labs,
  },
  { at: 'labs/results', may: [...driver, 'labs/program'], instead: to.labs },
  { at: 'labs/workspaces', may: [...lib, 'lib/archives'], instead: to.labs },
  {
    at: 'labs/plan',
    may: [...driver, 'labs/drivers/drivers.ts', 'labs/topologies', 'labs/workspaces'],
    instead: to.labs,
  },
  { at: 'labs', may: labs, instead: to.labs },

  { at: 'jobs/model', may: words, instead: to.jobs },
  { at: 'jobs/store', may: store, instead: to.jobs },
  { at: 'jobs/log', may: log, instead: to.jobs },
  { at: 'jobs/run', may: run, instead: to.jobs },
  { at: 'jobs/intake', may: intake, instead: to.jobs },
  { at: 'jobs/job-service.ts', may: store, instead: to.jobs },
  { at: 'jobs/view', may: view, instead: to.jobs },
  { at: 'jobs', may: service, instead: to.jobs },

  { at: 'access/model', may: [...lib], instead: to.access },
  { at: 'access/passwords', may: [...lib, 'access/model'], instead: to.access },
  { at: 'access/sessions', may: [...lib, 'access/model'], instead: to.access },
  { at: 'access/users', may: [...lib, 'access/model', 'access/passwords'], instead: to.access },
  { at: 'access/audit', may: [...lib, 'access/model'], instead: to.access },
  {
    at: 'access',
    may: [...lib, 'access/model', 'access/passwords', 'access/sessions'],
    instead: to.access,
  },
  { at: 'events/model', may: [...lib, 'jobs/model'], instead: to.events },
  { at: 'events/webhooks', may: [...lib, 'jobs/model', 'jobs/store', 'events/model'], instead: to.events },
  {
    at: 'events',
    may: [...lib, 'labs/**', 'jobs/**', 'events/model', 'events/webhooks'],
    instead: to.events,
  },
  { at: 'leases/lease-service.ts', may: [...lib, 'labs/**', 'jobs/model'], instead: to.leases },
  { at: 'leases', may: [...lib, 'labs/**', 'jobs/**', 'leases/lease-service.ts'], instead: to.leases },
  { at: 'owners/owner-service.ts', may: [...lib], instead: to.owners },
  {
    at: 'owners',
    may: [...lib, 'labs/model', 'jobs/model', 'owners/owner-service.ts'],
    instead: to.owners,
  },
  {
    at: 'cluster/model',
    may: [...lib, 'access/model', 'jobs/job-service.ts', 'jobs/model'],
    instead: to.cluster,
  },
  {
    at: 'cluster',
    may: [...lib, 'access/model', 'jobs/job-service.ts', 'jobs/model', 'cluster/model'],
    instead: to.cluster,
  },
  { at: 'restricted', may: ports, instead: to.restricted },
  {
    at: 'client',
    may: [...lib],
    instead: 'src/client imports client and lib only: it knows the service by its HTTP alone.',
  },

  {
    at: 'mcp',
    may: [...lib, 'client'],
    instead: to.mcp,
  },

  { at: 'http/http-observer.ts', may: port, instead: to.http },
  { at: 'http/reply', may: port, instead: to.http },
  { at: 'http/request', may: port, instead: to.http },
  { at: 'http/middleware', may: reply, instead: to.http },
  { at: 'http', may: [...reply, 'http/middleware'], instead: to.http },
  { at: 'http/openapi', may: routers, instead: to.http },
  { at: 'http/cluster', may: routers, instead: to.http },
  { at: 'http/route-table.ts', may: [...routers, 'http/cluster'], instead: to.http },
  { at: 'http/routers', may: [...routers, 'http/openapi', 'http/cluster'], instead: to.http },
  {
    at: 'http/app.ts',
    may: [...routers, 'http/cluster', 'http/route-table.ts', 'http/routers'],
    instead: to.http,
  },

  {
    at: 'metrics',
    may: [
      ...lib,
      'labs/model',
      'labs/drivers',
      'labs/status',
      'jobs/job-service.ts',
      'jobs/model',
      'http/http-observer.ts',
    ],
    instead: to.metrics,
  },

  {
    at: 'tls',
    may: [...lib, 'config'],
    instead: 'src/tls makes and keeps a certificate, and imports config and lib only.',
  },

  {
    at: 'doctor',
    may: [
      ...lib,
      'cluster/probe-cluster.ts',
      'config',
      'access/**',
      'tls',
      'labs/**',
      'jobs/store/data-dir-owner.ts',
      'engine/system/privileges.ts',
    ],
    instead: to.doctor,
  },

  { at: 'service', may: parts, instead: to.root },
  { at: 'bootstrap.ts', may: [...parts, 'service'], instead: to.root },
  {
    at: 'cli/remote',
    may: [...lib, 'lib/archives', 'labs/model', 'client', 'mcp'],
    instead: to.remote,
  },
  {
    at: 'cli/users',
    may: [...lib, 'access/**', 'cli/remote'],
    instead: to.usersCommands,
  },
  {
    at: 'cli',
    may: [
      'cli/remote',
      'cli/users',
      ...lib,
      'config',
      'version.ts',
      'labs/**',
      'engine/perform.ts',
      'engine/program.ts',
      'client',
      'doctor',
      'service',
      'bootstrap.ts',
    ],
    instead: to.cli,
  },
  {
    at: 'main.ts',
    may: [...lib, 'cli', 'bootstrap.ts'],
    instead: 'src/main.ts only starts the command line: put the work into src/cli.',
  },
];
