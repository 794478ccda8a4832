/** The variables of a cluster: several lab servers behind any one of them (docs/cluster.md). */
import os from 'node:os';
import * as z from 'zod';

const leastSecret = 32;

const text = z.string().min(1);

/** A label of a host, and its name: both stand in paths and in lists that are separated by commas. */
const wordPattern = /^[A-Za-z0-9][\w.-]{0,62}$/;
const word = z
  .string()
  .refine((value) => wordPattern.test(value), 'must be letters, digits, ".", "_" or "-", at most 63');

export const clusterVariables = {
  LAB_API_REDIS_URL: text
    .refine((value) => URL.canParse(value) && /^rediss?:$/.test(new URL(value).protocol), {
      error: 'must be redis://[:password@]host[:port][/database], or rediss:// for TLS',
    })
    .optional(),
  LAB_API_CLUSTER_SECRET: text
    .refine(
      (value) => value.length >= leastSecret,
      `must have ${leastSecret} characters at least, the same on all hosts: openssl rand -base64 32`,
    )
    .optional(),
  LAB_API_HOST_NAME: word.optional(),
  LAB_API_HOST_URL: text
    .refine((value) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol), {
      error: 'must be where the other hosts reach this one, like https://lab2.example.com:8090',
    })
    .optional(),
  LAB_API_HOST_LABELS: z
    .string()
    .transform((value, context) => {
      const labels = value.split(',').map((label) => label.trim());
      const given = labels.filter((label) => label !== '');
      for (const label of given)
        if (!wordPattern.test(label))
          context.addIssue(`"${label}" is not a label: write letters, digits, ".", "_" or "-"`);
      return given;
    })
    .prefault(''),
};

type Values = z.output<z.ZodObject<typeof clusterVariables>>;

export interface ClusterSettings {
  readonly redisUrl: string;
  /** Shared by all hosts, and by nobody else. */
  readonly secret: string;
  /** That of the machine, unless it was given one. */
  readonly hostName: string;
  /** Undefined for where the service listens. */
  readonly hostUrl: string | undefined;
  readonly hostLabels: readonly string[];
}

/** What is wrong with them together; none of them is of use without Redis. */
export function clusterProblems(values: Partial<Values>, bind: string): readonly string[] {
  const { LAB_API_REDIS_URL: redis, LAB_API_CLUSTER_SECRET: secret, LAB_API_HOST_URL: url } = values;
  if (redis === undefined) {
    const others = { LAB_API_CLUSTER_SECRET: secret, LAB_API_HOST_URL: url };
    const [without] = Object.entries(others).filter(([, value]) => value !== undefined);
    return without ? [`${without[0]} is set but LAB_API_REDIS_URL is not; they belong together`] : [];
  }
  const problems: string[] = [];
  if (secret === undefined)
    problems.push('LAB_API_REDIS_URL is set but LAB_API_CLUSTER_SECRET is not; they belong together');
  if (url === undefined && ['0.0.0.0', '::', '[::]'].includes(bind))
    problems.push(
      'LAB_API_HOST_URL: say where the other hosts reach this one; LAB_API_BIND names every address of it',
    );
  return problems;
}

export function clusterSettings(values: Values): ClusterSettings | undefined {
  const { LAB_API_REDIS_URL: redisUrl, LAB_API_CLUSTER_SECRET: secret } = values;
  if (redisUrl === undefined || secret === undefined) return undefined;
  return {
    redisUrl,
    secret,
    hostName: values.LAB_API_HOST_NAME ?? os.hostname(),
    hostUrl: values.LAB_API_HOST_URL?.replace(/\/+$/, ''),
    hostLabels: values.LAB_API_HOST_LABELS,
  };
}
