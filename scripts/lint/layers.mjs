/**
 * Who may import whom. The linter, tests/repo/import-graph.test.ts and the picture in docs/architecture.md follow this table: an
 * arrow is changed here.
 *
 * A row is a folder of src without the folders in it, or one file that stands higher than the rest of its folder. It may
 * import itself, and of the rows above it those that it names: arrows run one way, so nobody can write a circle.
 * @typedef {object} Row
 * @property {string} at A folder or a file below src.
 * @property {readonly string[]} may Rows, single files of a row, or `labs/**`: that row and all that are in its folder.
 * @property {string} instead What the reader does when the linter refuses an import.
 * @property {boolean} [isPlanned] The design has this folder, and it is not there yet.
 */
import {
  toEngine,
  toLabs,
  toJobs,
  toEvents,
  toLeases,
  toAccess,
  toOwners,
  toRestricted,
  toHttp,
  toRoot,
} from './advice.mjs';

const core = ['lib', 'engine/core'];
const plan = [...core, 'engine/topology', 'engine/routing', 'engine/system'];
const lab = [...plan, 'engine/addressing', 'engine/state'];
const command = [...lab, 'engine/lab', 'engine/namespaces', 'engine/validation'];

const asked = [
  'lib',
  'labs/option-kinds.ts',
  'labs/options.ts',
  'labs/actions.ts',
  'labs/job-result.ts',
  'labs/run.ts',
  'labs/allowed-roots.ts',
];
const driver = [...asked, 'labs/drivers'];
const labs = [
  ...driver,
  'labs/drivers/**',
  'labs/topologies',
  'labs/status',
  'labs/nodes',
  'labs/ids',
  'labs/picture',
  'labs/workspaces',
];
const words = ['lib', 'labs/option-kinds.ts', 'labs/actions.ts', 'labs/options.ts', 'labs/job-result.ts'];
const store = [...words, 'jobs/model'];
const log = [...store, 'jobs/store'];
const run = [...log, 'jobs/log'];
const intake = [...run, 'jobs/run'];
const view = [...intake, 'jobs/job-service.ts'];
const service = [...view, 'jobs/intake', 'jobs/view'];

const ports = [
  'lib',
  'labs/**',
  'access/model',
  'jobs/job-service.ts',
  'jobs/model',
  'events/model',
  'leases/lease-service.ts',
  'owners/owner-service.ts',
];
const port = [...ports, 'lib/archives', 'config', 'restricted'];
const reply = [...port, 'http/http-observer.ts', 'http/reply', 'http/request'];
const routers = [...reply, 'http/middleware', 'http'];

const parts = [
  'lib',
  'config',
  'version.ts',
  'labs/**',
  'jobs/**',
  'access/**',
  'events/**',
  'leases',
  'owners',
  'restricted',
  'cluster',
  'metrics',
  'mcp',
  'http/**',
  'tls',
];
/** What `service.ts` joins the parts with. */
const joining = [
  'readiness.ts',
  'announce-start.ts',
  'create-workspaces.ts',
  'create-users.ts',
  'create-logins.ts',
  'create-owners.ts',
  'create-metrics.ts',
  'create-mcp.ts',
  'create-job-user.ts',
];
const joined = [...parts, 'service-log.ts', ...joining];

/** @type {readonly Row[]} From the bottom to the top. */
export const rows = [
  {
    at: 'lib',
    may: [],
    instead:
      'src/lib imports Node and its own files only and knows nothing of the product: take the value as a parameter, or move this file into the layer that uses it.',
  },
  {
    at: 'lib/archives',
    may: ['lib'],
    instead:
      'src/lib/archives packs and unpacks archives and knows nothing of the product: it imports lib only. Take limits and what is to be told as parameters.',
  },
  { at: 'version.ts', may: ['lib'], instead: toRoot },
  { at: 'service-log.ts', may: ['lib'], instead: toRoot },
  {
    at: 'config',
    may: ['lib'],
    instead: 'src/config imports config and lib only: it describes settings and does not act on them.',
  },

  { at: 'engine/core', may: ['lib'], instead: toEngine },
  { at: 'engine/topology', may: core, instead: toEngine },
  { at: 'engine/routing', may: core, instead: toEngine },
  { at: 'engine/system', may: core, instead: toEngine },
  { at: 'engine/addressing', may: plan, instead: toEngine },
  { at: 'engine/state', may: plan, instead: toEngine },
  { at: 'engine/lab', may: lab, instead: toEngine },
  { at: 'engine/namespaces', may: lab, instead: toEngine },
  { at: 'engine/validation', may: lab, instead: toEngine },
  { at: 'engine/commands', may: command, instead: toEngine },
  { at: 'engine', may: [...command, 'engine/commands'], instead: toEngine },

  { at: 'labs/option-kinds.ts', may: ['lib'], instead: toLabs },
  { at: 'labs/options.ts', may: ['lib', 'labs/option-kinds.ts'], instead: toLabs },
  { at: 'labs/actions.ts', may: ['lib', 'labs/option-kinds.ts'], instead: toLabs },
  { at: 'labs/job-result.ts', may: ['lib'], instead: toLabs },
  { at: 'labs/run.ts', may: ['lib'], instead: toLabs },
  { at: 'labs/allowed-roots.ts', may: ['lib'], instead: toLabs },
  { at: 'labs/drivers', may: asked, instead: toLabs },
  { at: 'labs/drivers/netlab/errors', may: asked, instead: toLabs },
  { at: 'labs/drivers/netlab/results', may: driver, instead: toLabs },
  {
    at: 'labs/drivers/netlab',
    may: [...driver, 'labs/drivers/netlab/errors', 'labs/drivers/netlab/results'],
    instead: toLabs,
  },
  { at: 'labs/drivers/engine', may: [...driver, 'labs/drivers/netlab'], instead: toLabs },
  {
    at: 'labs/drivers/drivers.ts',
    may: [...driver, 'labs/drivers/netlab', 'labs/drivers/engine'],
    instead: toLabs,
  },
  { at: 'labs/topologies', may: driver, instead: toLabs },
  { at: 'labs/status', may: driver, instead: toLabs },
  { at: 'labs/nodes', may: [...driver, 'labs/status'], instead: toLabs },
  { at: 'labs/ids', may: driver, instead: toLabs },
  { at: 'labs/picture', may: driver, instead: toLabs },
  { at: 'labs/workspaces', may: ['lib', 'lib/archives'], instead: toLabs },
  { at: 'labs', may: labs, instead: toLabs },

  { at: 'jobs/model', may: words, instead: toJobs },
  { at: 'jobs/store', may: store, instead: toJobs },
  { at: 'jobs/log', may: log, instead: toJobs },
  { at: 'jobs/run', may: run, instead: toJobs },
  { at: 'jobs/intake', may: intake, instead: toJobs },
  { at: 'jobs/job-service.ts', may: store, instead: toJobs },
  { at: 'jobs/view', may: view, instead: toJobs },
  { at: 'jobs', may: service, instead: toJobs },

  { at: 'access/model', may: ['lib'], instead: toAccess },
  { at: 'access/passwords', may: ['lib', 'access/model'], instead: toAccess },
  { at: 'access/sessions', may: ['lib', 'access/model'], instead: toAccess },
  { at: 'access/users', may: ['lib', 'access/model', 'access/passwords'], instead: toAccess },
  { at: 'access/audit', may: ['lib', 'access/model'], instead: toAccess },
  {
    at: 'access',
    may: ['lib', 'access/model', 'access/passwords', 'access/sessions'],
    instead: toAccess,
  },
  { at: 'events/model', may: ['lib', 'jobs/model'], instead: toEvents },
  { at: 'events/webhooks', may: ['lib', 'jobs/model', 'jobs/store', 'events/model'], instead: toEvents },
  { at: 'events', may: ['lib', 'labs/**', 'jobs/**', 'events/model', 'events/webhooks'], instead: toEvents },
  { at: 'leases/lease-service.ts', may: ['lib', 'labs/**', 'jobs/model'], instead: toLeases },
  { at: 'leases', may: ['lib', 'labs/**', 'jobs/**', 'leases/lease-service.ts'], instead: toLeases },
  { at: 'owners/owner-service.ts', may: ['lib'], instead: toOwners },
  {
    at: 'owners',
    may: ['lib', 'labs/actions.ts', 'jobs/model', 'owners/owner-service.ts'],
    instead: toOwners,
  },
  { at: 'restricted', may: ports, instead: toRestricted },
  {
    at: 'cluster',
    may: ['lib', 'jobs/**'],
    instead: 'src/cluster imports cluster, jobs and lib only: let bootstrap.ts pass in the rest.',
    isPlanned: true,
  },
  {
    at: 'client',
    may: ['lib'],
    instead: 'src/client imports client and lib only: it knows the service by its HTTP alone.',
  },

  {
    at: 'mcp',
    may: ['lib', 'client'],
    instead:
      'src/mcp imports mcp, client and lib only: its tools are a client of the service like any other.',
  },

  { at: 'http/http-observer.ts', may: port, instead: toHttp },
  { at: 'http/reply', may: port, instead: toHttp },
  { at: 'http/request', may: port, instead: toHttp },
  { at: 'http/middleware', may: reply, instead: toHttp },
  { at: 'http', may: [...reply, 'http/middleware'], instead: toHttp },
  { at: 'http/openapi', may: routers, instead: toHttp },
  { at: 'http/routers', may: [...routers, 'http/openapi'], instead: toHttp },
  { at: 'http/app.ts', may: [...routers, 'http/routers'], instead: toHttp },

  {
    at: 'metrics',
    may: [
      'lib',
      'labs/actions.ts',
      'labs/drivers',
      'labs/status',
      'jobs/job-service.ts',
      'jobs/model',
      'http/http-observer.ts',
    ],
    instead:
      'src/metrics counts what others tell it: it imports lib, labs/actions.ts, labs/drivers, labs/status, jobs/job-service.ts, jobs/model and http/http-observer.ts only. Let service.ts pass in what it is to look at.',
  },

  {
    at: 'tls',
    may: ['lib', 'config'],
    instead: 'src/tls makes and keeps a certificate, and imports config and lib only.',
  },

  {
    at: 'doctor',
    may: [
      'lib',
      'config',
      'access/**',
      'tls',
      'labs/**',
      'jobs/store/data-dir-owner.ts',
      'engine/system/privileges.ts',
    ],
    instead:
      'src/doctor looks at the machine and starts no service: it imports access, config, labs, lib, tls, jobs/store/data-dir-owner.ts and engine/system/privileges.ts only.',
  },

  ...joining.map((at) => ({ at, may: parts, instead: toRoot })),
  { at: 'service.ts', may: joined, instead: toRoot },
  { at: 'bootstrap.ts', may: [...joined, 'service.ts'], instead: toRoot },
  {
    at: 'cli/remote',
    may: ['lib', 'lib/archives', 'labs/option-kinds.ts', 'labs/actions.ts', 'client', 'mcp'],
    instead:
      'src/cli/remote turns a command line into requests to a service: it imports client, mcp, labs/actions, labs/options and lib only.',
  },
  {
    at: 'cli/users',
    may: ['lib', 'access/**', 'cli/remote'],
    instead:
      'src/cli/users turns a command line into an edit of the users file: it imports access, cli/remote and lib only.',
  },
  {
    at: 'cli',
    may: [
      'cli/remote',
      'cli/users',
      'lib',
      'config',
      'version.ts',
      'labs/**',
      'engine/perform.ts',
      'engine/program.ts',
      'client',
      'doctor',
      'service.ts',
      'bootstrap.ts',
    ],
    instead:
      'src/cli turns a command line into a call: it imports bootstrap, service, doctor, client, config, labs, lib, version and of the engine only engine/program.ts and engine/perform.ts. Have bootstrap.ts build what needs jobs or http.',
  },
  {
    at: 'main.ts',
    may: ['lib', 'cli', 'bootstrap.ts'],
    instead: 'src/main.ts only starts the command line: put the work into src/cli.',
  },
];
