/**
 * What a router or a part of the job runner does is seen in whole services best. With `--each`, these tests judge such a file,
 * beside any of its own name in tests/unit: names in `folder`, without `.test.ts`.
 * @type {readonly { of: string, folder: string, tests: Readonly<Record<string, readonly string[]>> }[]}
 */
const services = [
  {
    of: 'src/http/routers',
    folder: 'tests/http',
    tests: {
      'accepted-job': ['jobs', 'idempotency'],
      artifacts: ['artifacts'],
      events: ['events'],
      health: ['health', 'authentication'],
      job: ['jobs-end', 'jobs-delete', 'jobs-retry', 'job-wait'],
      'job-log': ['job-log', 'job-log-plain', 'job-log-stream', 'jobs-delete', 'metrics'],
      jobs: ['jobs', 'jobs-list'],
      'lab-lease': ['lab-leases'],
      'lab-picture': ['lab-layout-file', 'lab-topology'],
      'lab-tests': ['lab-tests'],
      'lab-topology': ['lab-topology'],
      labs: ['labs'],
      mcp: ['mcp'],
      metrics: ['metrics'],
      'node-capture': ['node-network'],
      'node-exec': ['node-exec'],
      'node-impairment': ['node-network'],
      'node-log': ['node-network'],
      'node-parts': ['node-network'],
      'node-terminal': ['node-terminal', 'node-terminal-refused'],
      owner: ['ownership-sight', 'ownership-strict'],
      reference: ['reference'],
      root: ['reference', 'requests'],
      session: ['session', 'session-other-sites'],
      status: ['status'],
      templates: ['templates'],
      'workspace-files': ['workspaces'],
      workspaces: ['workspaces'],
    },
  },
  {
    of: 'src/http',
    folder: 'tests/http',
    tests: {
      app: ['requests', 'browser-safety'],
      'body-time': ['request-bodies'],
      dashboard: ['dashboard'],
      headers: ['requests', 'health'],
      'http-observer': ['metrics'],
      'parser-errors': ['parser-errors'],
      route: ['requests', 'request-bodies', 'labs', 'authentication'],
      'route-table': ['requests'],
      server: ['parser-errors', 'requests'],
      upgrades: ['node-terminal-refused'],
      'web-socket': ['node-terminal'],
    },
  },
  {
    of: 'src/jobs/run',
    folder: 'tests/integration',
    tests: {
      'job-finisher': ['jobs-run'],
      'job-processes': ['jobs-recovery'],
      'job-queue': ['jobs-queue'],
      'job-terminator': ['jobs-cancel'],
      'limit-watch': ['jobs-log-limit'],
      process: ['jobs-process'],
      'read-result': ['jobs-run', 'jobs-recovery-damaged'],
      recovery: ['jobs-recovery', 'jobs-recovery-cancel', 'jobs-recovery-damaged', 'jobs-recovery-order'],
      scheduler: ['jobs-queue', 'jobs-put-back'],
      'start-check': ['jobs-start', 'jobs-put-back'],
      supervisor: ['jobs-run', 'jobs-start'],
      terminate: ['jobs-cancel', 'jobs-shutdown'],
    },
  },
];

/** @param {string} file */
export function testsOfServices(file) {
  const found = services.find(({ of, tests }) =>
    Object.keys(tests).some((name) => file === `${of}/${name}.ts`),
  );
  const name = file.slice((found?.of.length ?? 0) + 1, -'.ts'.length);
  return (found?.tests[name] ?? []).map((test) => `${found?.folder}/${test}.test.ts`);
}
