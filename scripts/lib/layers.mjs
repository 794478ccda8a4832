/**
 * The rooms of the code and their imports. `.dependency-cruiser.mjs` makes rules of these tables, and `npm run lint` runs them after oxlint.
 *
 * A room is a folder with the folders in it, or one file that stands above the rest of its folder; a folder inside a room that
 * has a row of its own is another room. A room may import itself and the rooms of its row; `labs/**` is labs and all rooms
 * in it. Rows stand from the bottom to the top and name rows above them only, so no circle of rooms can be written.
 * oxlint refuses circles of files.
 */

const driver = 'lib labs/model labs/system labs/drivers';
const planned = 'lib engine/core engine/topology engine/routing engine/system';
const lab = `${planned} engine/addressing engine/state`;
const stored = 'lib labs/model jobs/model jobs/store';
const running = `${stored} jobs/log jobs/run`;
const jobPort = 'jobs/job-service.ts jobs/model';
const ports = `lib labs/** access/model ${jobPort} events/model cluster/model leases/lease-service.ts faults/fault-service.ts owners/owner-service.ts quotas/quota-service.ts ssh/ssh-service.ts`;
const http = `${ports} lib/archives config restricted`;
const answers = `${http} http/http-observer.ts http/reply http/request`;
const routes = `${answers} http/middleware http`;

/** @type {Readonly<Record<string, string>>} Each room of src, and the rooms that it may import. */
export const rooms = {
  lib: '',
  'lib/archives': 'lib',
  'version.ts': 'lib',
  config: 'lib',
  'access/model': 'lib',

  'engine/core': 'lib',
  'engine/topology': 'lib engine/core',
  'engine/routing': 'lib engine/core',
  'engine/system': 'lib engine/core',
  'engine/addressing': planned,
  'engine/state': planned,
  'engine/lab': lab,
  'engine/namespaces': lab,
  'engine/images': `${lab} lib/archives`,
  'engine/validation': lab,
  'engine/commands': `${lab} engine/lab engine/namespaces engine/images engine/validation`,
  engine: `${lab} engine/lab engine/namespaces engine/images engine/validation engine/commands`,

  'labs/model': 'lib',
  'labs/system': 'lib',
  'labs/drivers': 'lib labs/model labs/system',
  'labs/drivers/netlab-language': driver,
  'labs/drivers/netlab': `${driver} labs/drivers/netlab-language`,
  'labs/drivers/engine': `${driver} labs/drivers/netlab-language engine/core engine/system/namespace-files.ts engine/system/node-command.ts engine/system/privileges.ts`,
  'labs/drivers/containerlab': driver,
  'labs/drivers/drivers.ts': `${driver} labs/drivers/netlab labs/drivers/engine labs/drivers/containerlab`,
  'labs/drivers/foreign-worker.ts': `${driver} labs/drivers/netlab labs/drivers/engine labs/drivers/containerlab labs/drivers/netlab-language`,
  'labs/workspaces': 'lib lib/archives access/model labs/model',
  'labs/git': 'lib lib/archives labs/model labs/system labs/workspaces',
  'labs/topologies': driver,
  'labs/templates': driver,
  'labs/status': driver,
  'labs/ids': driver,
  'labs/program': driver,
  'labs/nodes': `${driver} labs/status`,
  'labs/ready': `${driver} labs/status labs/nodes`,
  'labs/picture': `${driver} labs/program labs/status labs/topologies labs/ready`,
  'labs/inventory': `${driver} labs/status`,
  'labs/search': `${driver} labs/status labs/topologies`,
  'labs/plan': `${driver} labs/drivers/drivers.ts labs/topologies labs/workspaces`,
  'labs/snapshots': `${driver} access/model lib/archives labs/nodes labs/status labs/workspaces`,
  'labs/results': `${driver} labs/program`,
  'labs/checks': `${driver} lib/archives labs/program labs/workspaces`,
  labs: `${driver} labs/drivers/** labs/workspaces labs/git labs/topologies labs/templates labs/status labs/ids labs/program labs/nodes labs/ready labs/picture labs/inventory labs/search labs/plan labs/results labs/checks labs/snapshots`,

  'jobs/model': 'lib labs/model',
  'jobs/store': 'lib labs/model jobs/model',
  'jobs/log': stored,
  'jobs/run': `${stored} jobs/log`,
  'jobs/intake': running,
  'jobs/job-service.ts': 'lib labs/model jobs/model',
  'jobs/view': `${running} jobs/job-service.ts`,
  jobs: `${running} jobs/intake jobs/job-service.ts jobs/view`,

  'access/passwords': 'lib access/model',
  'access/sessions': 'lib access/model',
  'access/oidc': 'lib access/model',
  'access/users': 'lib access/model access/passwords',
  'access/audit': 'lib access/model',
  access: 'lib access/model access/passwords access/sessions access/oidc access/users',

  'events/model': 'lib labs/model jobs/model',
  'events/webhooks': 'lib jobs/model jobs/store events/model',
  events: 'lib labs/** jobs/** events/model events/webhooks',
  'leases/lease-service.ts': 'lib labs/** jobs/model',
  leases: 'lib labs/** jobs/** leases/lease-service.ts',
  'faults/fault-service.ts': 'lib labs/model',
  faults: 'lib labs/** jobs/model faults/fault-service.ts',
  'owners/owner-service.ts': 'lib access/model',
  owners: 'lib labs/model jobs/model access/model owners/owner-service.ts',
  'quotas/quota-service.ts': 'lib access/model jobs/model',
  'quotas/usage.ts': 'lib access/model',
  quotas:
    'lib access/model labs/** jobs/model jobs/store owners/owner-service.ts quotas/quota-service.ts quotas/usage.ts',
  'cluster/model': `lib access/model ${jobPort}`,
  cluster: `lib access/model ${jobPort} quotas/usage.ts cluster/model`,
  'scenarios/model': 'lib labs/model',
  'scenarios/run': 'lib labs/model labs/nodes scenarios/model',
  scenarios: 'lib labs/** jobs/model faults scenarios/model',
  'ssh/ssh-observer.ts': '',
  'ssh/ssh-service.ts': 'access/model',
  restricted: ports,
  client: 'lib',
  mcp: 'lib client',

  'http/http-observer.ts': http,
  'http/reply': http,
  'http/request': http,
  'http/middleware': answers,
  http: `${answers} http/middleware`,
  'http/openapi': routes,
  'http/cluster': routes,
  'http/route-table.ts': `${routes} http/cluster`,
  'http/routers': `${routes} http/openapi http/cluster`,
  'http/app.ts': `${routes} http/cluster http/route-table.ts http/routers`,

  ssh: 'lib labs/** access/model config restricted ssh/ssh-observer.ts ssh/ssh-service.ts',

  metrics: `lib access/model labs/model labs/drivers labs/status labs/git/git-files.ts ${jobPort} http/http-observer.ts ssh/ssh-observer.ts`,
  tls: 'lib config',
  doctor:
    'lib config access/** tls labs/** cluster/probe-cluster.ts jobs/store/data-dir-format.ts jobs/store/data-dir-owner.ts engine/system/privileges.ts',
  service:
    'lib/** config version.ts labs/** jobs/** access/** events/** leases/** faults/** scenarios owners/** quotas/** restricted cluster/** metrics mcp http/** ssh tls',
  'bootstrap.ts': 'lib config labs/** service',
  'cli/remote': 'lib lib/archives labs/model labs/system/run.ts client mcp',
  'cli/users': 'lib config access/** cli/remote',
  cli: 'lib config version.ts labs/** engine/perform.ts engine/program.ts client doctor cli/remote cli/users service bootstrap.ts',
  'main.ts': 'lib cli bootstrap.ts',
};

/**
 * The advice for an import that the table refuses, by the beginning of a room: the first one that fits counts.
 * @type {Readonly<Record<string, string>>}
 */
export const instead = {
  lib: 'src/lib imports Node and its own files only and knows nothing of the product: take the value as a parameter, or move this file into the room that uses it.',
  config: 'src/config imports config and lib only: it describes settings and does not act on them.',
  engine:
    'src/engine imports engine and lib only: it is a lab CLI of its own and knows nothing of jobs or HTTP. Move the parts that two of its rooms need into a lower one.',
  'labs/drivers':
    'A driver does not know the other drivers; only drivers.ts knows them all. Put the parts that several drivers need into labs/drivers.',
  labs: 'src/labs imports labs and lib only: take the value as a parameter, and let the caller (jobs, http or cli) pass it in.',
  jobs: 'src/jobs imports jobs, labs/model and lib only: declare what you need as a parameter or an interface, and let src/service pass it in. Its rooms from the bottom to the top: model, store, log, run, intake, view. job-service.ts, the port, knows model alone.',
  access:
    'src/access decides who may do what: it imports access and lib only, and access/model imports lib alone.',
  events: 'src/events imports events, jobs, labs and lib only: let src/service pass in the rest.',
  leases: 'src/leases imports leases, jobs, labs and lib only: let src/service pass in the rest.',
  faults: 'src/faults imports faults, jobs/model, labs and lib only: let src/service pass in the rest.',
  owners: 'src/owners imports owners, jobs/model, labs/model and lib only: let src/service pass in the rest.',
  cluster:
    'src/cluster imports cluster, access/model, lib and of jobs only job-service.ts and model: let src/service pass in the rest.',
  restricted:
    'src/restricted has the jobs, labs and workspaces as one user may have them: it imports labs, lib, access/model and the ports of jobs, events, cluster, leases and owners only.',
  client: 'src/client imports client and lib only: it knows the service by its HTTP alone.',
  mcp: 'src/mcp imports mcp, client and lib only: its tools are a client of the service.',
  http: 'src/http imports config, labs, lib, restricted, access/model and the ports of jobs, events, cluster, leases and owners only: let src/service pass in the rest. Its rooms from the bottom to the top: reply and request; middleware; context and route; openapi and cluster; route-table; routers; app.',
  metrics: 'src/metrics counts what others report: let src/service pass in the values that it reads.',
  ssh: 'src/ssh serves SSH: it imports access/model, config, labs, restricted and lib only: let src/service pass in the rest.',
  tls: 'src/tls makes and keeps a certificate: it imports config and lib only.',
  doctor:
    'src/doctor checks the machine and starts no service: import one small check, and name its file in the row.',
  service: 'src/service only joins the parts: put the work into the folder that it belongs to.',
  'cli/remote': 'src/cli/remote turns a command line into requests to a service: use src/client.',
  'cli/users':
    'src/cli/users turns a command line into a change of the users file: it imports access, cli/remote, config and lib only.',
  cli: 'src/cli turns a command line into a call: let src/bootstrap.ts build what needs jobs or http.',
  'main.ts': 'src/main.ts only starts the command line: put the work into src/cli.',
  '': 'The files of src itself only join the parts: put the work into the folder that it belongs to.',
};

/** The same for the page, web/dashboard/src. `pages/*` is each folder of pages by itself. @type {typeof rooms} */
export const pageRooms = {
  'theme.ts': '',
  api: '',
  parts: 'api',
  'pages/*': 'api parts theme.ts',
  frame: 'api parts',
  'app.tsx': 'api parts pages/* frame theme.ts',
  'main.tsx': 'app.tsx',
};

/** @type {typeof instead} */
export const insteadOnPage = {
  'theme.ts': 'theme.ts says how the page looks, and imports nothing of it.',
  api: 'api speaks with the service and draws nothing: it imports api only. Put drawing into parts.',
  parts:
    'parts are drawn by several pages: they import api and parts only. Take a value of a page as a property.',
  pages:
    'A page imports its own folder, parts and api only: put what two pages need into parts, or into api when it draws nothing.',
  frame: 'The frame stands around any page: it imports api and parts only. app.tsx puts the pages into it.',
  app: 'app.tsx joins the frame with the pages: only main.tsx stands above it.',
  main: 'main.tsx only starts the page: put the rest into app.tsx.',
};

/** Packages and modules of Node that belong to a few places of src. */
export const packages = [
  {
    name: '(@types/)?(express|express-[^/]*|helmet)',
    only: 'http/**',
    instead:
      'Express lives in src/http only: pass plain values to http and let a router or middleware do this.',
  },
  {
    name: '(@types/)?ws',
    only: 'http/** cli/remote/own-fetch.ts cli/remote/carry-ssh.ts',
    instead:
      'WebSockets live in src/http, and in two files of src/cli/remote: let a route answer with one (`kind: websocket`).',
  },
  {
    name: '@lydell/node-pty',
    only: 'labs/nodes',
    instead: 'Pseudo-terminals live in src/labs/nodes only, which loads the optional package on demand.',
  },
  {
    name: '(bullmq|ioredis)',
    only: 'cluster',
    instead:
      'Redis lives in src/cluster only, which is loaded when it is configured: go through cluster/model/cluster-service.ts.',
  },
  {
    name: 'elkjs',
    only: 'labs/picture/lay-out.ts labs/picture/arrange.ts',
    instead:
      'elkjs takes seconds: it runs in the thread of labs/picture/layout-worker.ts only. Ask labs/picture/layout-thread.ts.',
  },
  {
    name: '@modelcontextprotocol',
    only: 'mcp',
    instead: 'The Model Context Protocol lives in src/mcp only: declare a tool there.',
  },
  {
    name: '(@types/)?ssh2',
    only: 'ssh',
    instead: 'SSH lives in src/ssh only, which loads the package with the first connection.',
  },
  {
    name: 'prom-client',
    only: 'metrics',
    instead:
      'Prometheus lives in src/metrics only: report events through a callback, and let src/service join the two.',
  },
  {
    name: '(@peculiar/x509|reflect-metadata)',
    only: 'tls/make-certificate.ts',
    instead: 'Certificates are written by tls/make-certificate.ts only, which is loaded when one is due.',
  },
  {
    name: '(node:)?child_process',
    // The last four give the terminal, or the namespaces of a lab, to the program that they start.
    only: 'jobs/run/process.ts lib/files/lock-file.ts labs/system/run.ts labs/nodes engine/system engine/namespaces/enter.ts engine/namespaces/holder.ts engine/runtime/start-node.ts engine/commands/exec.ts',
    instead:
      'Processes start in jobs/run/process.ts, lib/files/lock-file.ts, labs/system/run.ts, labs/nodes and engine/system only: call one of those.',
  },
  {
    name: '(node:)?process',
    only: '',
    instead: 'Use the global `process`, so that the rules on process.env and process.exit see it.',
  },
];
