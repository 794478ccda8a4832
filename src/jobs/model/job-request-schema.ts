/** The fields of the body of POST /jobs, with their types and descriptions. */
import * as z from 'zod';
import { userInUrl } from '../../lib/net/outbound-url.ts';
import {
  actions,
  belongsTo,
  cleanedUpActions,
  cleaningActions,
  leasedActions,
  readyActions,
  replacingActions,
  scenarioActions,
  topologyActions,
} from '../../labs/model/actions.ts';
import { gitSourceSchema } from '../../labs/model/git-source.ts';
import { cliOptions, optionNames, type OptionName } from '../../labs/model/option-kinds.ts';
import { keyRule, maxCliName, optionSchemas, textPattern, withoutProto } from '../../labs/model/options.ts';
import { scenarioSchema } from '../../labs/model/scenario.ts';
import { actionMeta } from './job.ts';

const text = z
  .string()
  .max(4096)
  .refine((value) => !value.includes('\0'), 'must not contain a NUL byte')
  .meta({ pattern: textPattern });

function optionSchema(name: OptionName): z.ZodType {
  const schema = optionSchemas[name];
  const { description } = cliOptions[name];
  const users = actions.filter((action) => belongsTo(name, action)).join(', ');
  return schema.optional().describe(`${description} Used by ${users}.`);
}

const optionShape = Object.fromEntries(optionNames.map((name) => [name, optionSchema(name)]));

/** The value that the client wrote, if it is short enough to be repeated. */
function quoted(input: unknown): string {
  // Not an object: JSON.stringify of a deeply nested one overflows the stack.
  const shown = typeof input === 'object' ? '' : JSON.stringify(input);
  return shown === '' || shown.length > 40 ? '' : ` ${shown}`;
}

/** A filter is `name=value`, so a name ends at the first `=`. */
const labelName = z
  .string()
  .min(1)
  .max(63)
  .refine((name) => !name.includes('='), 'must not contain "="')
  .meta({ pattern: '^[^=]+$', ...keyRule });

const labels = withoutProto(
  'a label',
  z
    .record(labelName, z.string().max(255), {
      error: ({ code }) => (code === 'invalid_type' ? 'must be an object, such as {"build":"7"}' : undefined),
    })
    .refine((given) => Object.keys(given).length <= 32, 'at most 32 labels')
    .meta({ maxProperties: 32 }),
);

const topologyObject = z
  .record(z.string().meta(keyRule), z.unknown())
  .describe("A topology as JSON: a document of the lab CLI's own, passed on as it is.");

const positive = 'must be a number over 0';

const maxWaitReadySeconds = 3600;
/** A hundred years: a moment that is later could not be written down. */
export const maxTtlSeconds = 100 * 365 * 24 * 3600;

const usedWithTopology = `Used by ${topologyActions.join(', ')}.`;

/** The handling of a lab that may be half started. */
function onEnd(when: string) {
  return z
    .enum(['keep', ...cleaningActions])
    .optional()
    .describe(
      `The lab after the job ${when}: it stays (\`keep\`, the default), or the service queues a job that removes it. Used by ${cleanedUpActions.join(', ')}.`,
    );
}

/** For the description of the API; parsing the URL checks the rest. */
const webUrl = {
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://[^\\u0000]*$',
  not: { pattern: userInUrl },
} as const;

const fieldShape = {
  action: z.preprocess(
    (value) => (typeof value === 'string' ? value.trim().toLowerCase() : value),
    z
      .enum(actions, {
        error: (issue) =>
          issue.input === undefined
            ? `is required: one of ${actions.join(', ')}`
            : `unknown action${quoted(issue.input)}: use one of ${actions.join(', ')}`,
      })
      .meta(actionMeta),
  ),
  cli: text
    .max(maxCliName, `must not be over ${maxCliName} characters`)
    .meta({ pattern: textPattern })
    .optional()
    .describe(
      'The name of the lab CLI that runs the job, from `labClis` in `GET /`. Default: the lab CLI of an existing lab, else the first of `labClis`. Used by all actions.',
    ),
  workdir: text
    .optional()
    .describe(
      "The directory to run in, which must exist: absolute, below `~`, or relative to the workspace, else to the server's own. Outside of the `workspace` that is given, it is refused. Default: the workspace, else `workspaceRoot`, else the server's own.",
    ),
  workspace: text
    .meta({ pattern: '^[a-z0-9][a-z0-9._-]{0,62}$' })
    .optional()
    .describe(
      `The workspace to run in, or, with \`workdir\`, in a directory of it; \`auto\` is a new one that is called as the job is. For ${topologyActions.join(' and ')}, it is made when there is none.`,
    ),
  host: text
    .optional()
    .describe(
      'Of a cluster: the host that is to run it, by name or id. Default: the one that has the directory or the lab, else the one with most room.',
    ),
  hostLabels: z
    .array(text)
    .max(16)
    .optional()
    .describe('Of a cluster: only a host with all of these labels (`LAB_API_HOST_LABELS`).'),
  workspaceRoot: text.optional().describe('The name of `workdir` in `netlab api`; `workdir` has precedence.'),
  source: gitSourceSchema
    .optional()
    .describe(
      `The files for the workspace, from Git: they take the place of those that came from Git before; a workspace with other files is refused. Without \`workspace\`, it is \`auto\`. The reply comes when the files are there: 45 s at most. ${usedWithTopology} Other actions are refused.`,
    ),
  topologyUrl: text
    .meta(webUrl)
    .optional()
    .describe(
      `Where to fetch the topology from, by http or https: at most 1 MiB in 15 s. ${usedWithTopology}`,
    ),
  topology: withoutProto(
    'a topology element',
    z.union([z.string().describe('A topology as YAML text.'), topologyObject], {
      error: 'must be YAML text or a JSON object',
    }),
  )
    .optional()
    .describe(`The topology itself, unless there is a \`topologyUrl\`. ${usedWithTopology}`),
  topologyPath: text
    .optional()
    .describe(
      `The topology file, unless one of these is given. Default: \`topology.yml\` or \`.yaml\` in \`netlab\` below the working directory, or in itself. ${usedWithTopology}`,
    ),
  callbackUrl: text
    .meta(webUrl)
    .optional()
    .describe(
      'Where to post a message about every state of the job: http or https, and not on this machine or link unless `LAB_API_WEBHOOK_HOSTS` names the host. Used by all actions.',
    ),
  timeoutSeconds: z
    .number(positive)
    .positive(positive)
    .optional()
    .describe(
      'How long the job may run, in seconds; the service ends it then. Default and maximum: `LAB_API_JOB_TIMEOUT`. Used by all actions.',
    ),
  ttlSeconds: z
    .number(positive)
    .positive(positive)
    .max(maxTtlSeconds, `must not be over ${maxTtlSeconds}`)
    .optional()
    .describe(
      `How long the lab lives once it is up, in seconds; the service takes it down then. Default: \`LAB_API_DEFAULT_TTL\`; maximum: \`LAB_API_MAX_TTL\`. Used by ${leasedActions.join(', ')}.`,
    ),
  waitReadySeconds: z
    .number(positive)
    .positive(positive)
    .max(maxWaitReadySeconds, `must not be over ${maxWaitReadySeconds}`)
    .optional()
    .describe(
      `Once the lab CLI has ended, waits until all nodes of the lab are ready, so many seconds at most: the job fails then, and its error names the nodes that are late. Used by ${readyActions.join(', ')}.`,
    ),
  replace: z
    .boolean()
    .optional()
    .describe(
      `Takes down the lab in the working directory first: a \`down\` and this job are accepted together, or neither is. Without a lab there, and with \`dryRun\`, nothing is taken down. Used by ${replacingActions.join(', ')}.`,
    ),
  scenario: scenarioSchema
    .optional()
    .describe(`The scenario, unless there is a \`scenarioPath\`. Used by ${scenarioActions.join(', ')}.`),
  onConflict: z
    .enum(['queue', 'reject'])
    .default('queue')
    .describe(
      'When the working directory is busy: wait (`queue`, the default), or refuse with 409 (`reject`). Used by all actions.',
    ),
  onCancel: onEnd('is ended half-way: canceled, too long, printed too much'),
  onFailure: onEnd('fails'),
  labels: labels
    .default({})
    .describe('Short texts by name, to find jobs by; at most 32, `=` not in names. Used by all actions.'),
};

/** Every field of the body, and its type. One object for all actions: what generators make of a choice reads worse. */
export const jobRequestSchema = z.object({ ...fieldShape, ...optionShape }).meta({
  id: 'JobRequest',
  description:
    'The action, its place and its options. Unknown fields and fields of other actions are ignored and listed in `warnings` of the job. `null` and empty text mean "not given". All fields except `topology` may have 64 KiB together.',
});
export type Fields = z.output<z.ZodObject<typeof fieldShape>>;
