import path from 'node:path';

/**
 * With `--each`, these tests judge a file, beside any of its own name: names in `folder`, without `.test.ts`. What a router or a
 * part of the job runner does is seen in whole services best; and a part of something larger may be tested with the whole.
 * @type {readonly { of: string, folder: string, tests: Readonly<Record<string, readonly string[]>> }[]}
 */
export const judges = [
  {
    of: 'src/http/routers',
    folder: 'tests/http',
    tests: {
      'accepted-job': ['jobs', 'idempotency', 'audit'],
      artifacts: ['artifacts'],
      events: ['events'],
      health: ['health', 'authentication'],
      job: ['jobs-end', 'jobs-delete', 'jobs-retry', 'job-wait', 'request-bodies'],
      'job-log': ['job-log', 'job-log-plain', 'job-log-stream', 'jobs-delete', 'metrics'],
      jobs: ['jobs', 'jobs-list', 'job-wait'],
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
      owner: ['owner', 'ownership-sight', 'ownership-strict'],
      reference: ['reference'],
      root: ['root', 'reference', 'requests'],
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
      app: ['requests', 'browser-safety', 'authentication', 'health', 'cross-origin', 'proxy-login'],
      dashboard: ['dashboard'],
      'parser-errors': ['parser-errors'],
      route: ['requests', 'request-bodies', 'labs', 'authentication'],
      'route-table': ['requests', 'node-terminal-refused', 'login-ended', 'reference', 'status'],
    },
  },
  {
    of: 'src/jobs/run',
    folder: 'tests/integration',
    tests: {
      process: ['jobs-process'],
    },
  },
  {
    of: 'src/jobs/store',
    folder: 'tests/unit/jobs/store',
    tests: {
      'job-presence': ['job-store', 'job-list'],
      'job-reader': ['job-store', 'job-store-hostile-files', 'job-store-unreadable'],
      'job-writer': ['job-store', 'unsaved-jobs'],
      'store-fault': ['job-store', 'job-store-unreadable'],
    },
  },
  {
    of: 'src/labs',
    folder: 'tests/unit/labs',
    tests: {
      'job-judge': ['labs', 'all-labs'],
      'lab-pictures': ['lab-parts'],
      'option-kinds': ['options', 'actions', 'plan-command'],
      reports: ['labs'],
      'verify-success': ['labs'],
      'working-directory': ['plan-command', 'plan-paths', 'choose-labs'],
    },
  },
  {
    of: 'src/labs/nodes',
    folder: 'tests',
    tests: {
      interfaces: ['unit/labs/nodes/impairment'],
    },
  },
  {
    of: 'src/labs/picture',
    folder: 'tests/unit/labs',
    tests: {
      arrange: ['picture/lay-out'],
      geometry: ['picture/place-texts', 'picture/lay-out'],
      outlines: ['picture/lay-out', 'lab-pictures'],
      place: ['picture/lay-out'],
      'svg-style': ['lab-pictures'],
    },
  },
  {
    of: 'src/labs/templates',
    folder: 'tests/unit/labs/templates',
    tests: {
      'parsed-yaml': ['templates', 'plain-yaml'],
      'template-content': ['templates'],
      'template-file': ['templates', 'templates-choice'],
      'template-reader': ['templates'],
      'template-tree': ['templates'],
    },
  },
  {
    of: 'src/labs/drivers',
    folder: 'tests/unit/labs',
    tests: {
      'find-program': ['drivers/drivers', 'lab-cli'],
      'layout-file': ['lab-layouts'],
      topology: ['drivers/netlab/netlab-topology', 'drivers/containerlab/containerlab-topology'],
    },
  },
  {
    of: 'src/labs/drivers/containerlab',
    folder: 'tests/unit/labs',
    tests: {
      'annotations-file': ['layout-beside', 'lab-parts'],
      containers: [
        'drivers/containerlab/containerlab-status',
        'drivers/containerlab/lab-check',
        'drivers/containerlab/topology-files',
      ],
      'exec-outcome': ['drivers/containerlab/containerlab', 'drivers/containerlab/error-sentence'],
    },
  },
  {
    of: 'src/labs/drivers/netlab',
    folder: 'tests/unit/labs',
    tests: {
      dotted: ['drivers/netlab/topology-words'],
      'instance-of': ['drivers/netlab/topology-words', 'drivers/netlab/restart-check'],
      'lab-name': ['drivers/netlab/topology-words'],
      'netlab-files': ['drivers/netlab/netlab'],
      'netlab-status': ['status/lab-list', 'status/lab-status', 'lab-places'],
      'topology-summary': ['drivers/netlab/topology-words'],
    },
  },
  {
    of: 'src/labs/drivers/netlab/errors',
    folder: 'tests/unit/labs/drivers/netlab',
    tests: {
      'ansible-failures': ['error-sentence'],
      'failure-log': ['error-sentence'],
      'provider-failures': ['error-sentence'],
      'reported-errors': ['error-sentence'],
      tracebacks: ['error-sentence'],
      'yaml-errors': ['error-sentence'],
    },
  },
  {
    of: 'src/labs/drivers/netlab/results',
    folder: 'tests/unit/labs',
    tests: {
      'listed-tests': ['lab-tests'],
      'reported-test': ['drivers/netlab/results/test-reader'],
    },
  },
];

/** @param {string} file */
export function judgesOf(file) {
  const { dir, name } = path.parse(file);
  const { folder = '', tests = {} } = judges.find(({ of }) => of === dir) ?? {};
  return (tests[name] ?? []).map((test) => `${folder}/${test}.test.ts`);
}
