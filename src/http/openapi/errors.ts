/** The problem documents that a route may answer. */
import { STATUS_CODES } from 'node:http';
import { errorSpec, type ErrorCode } from '../../lib/error-codes.ts';
import { problemSchema } from '../reply/problem.ts';
import type { ReplyHeader } from '../headers.ts';
import type { Route } from '../route.ts';
import type { ComponentSchemas } from './component-schemas.ts';
import { headersOf } from './header-parts.ts';
import type { RecordedExamples } from './recorded-examples.ts';

/** The refusals of requests that a cluster forwards to another host. */
function elsewhereErrors({ about, query }: Pick<Route, 'about' | 'query'>): readonly ErrorCode[] {
  const mayBeNamed = 'host' in query.shape;
  if (about === 'thisHost' && !mayBeNamed) return [];
  return [
    'host-unavailable',
    ...(about === 'everyHost' ? [] : (['cluster-unavailable'] as const)),
    ...(about === 'lab' || mayBeNamed ? (['host-not-found'] as const) : []),
    ...(about === 'lab' ? (['conflict'] as const) : []),
  ];
}

/**
 * The refusals of every route, besides those that it declares itself. A service without a password declares a missing login,
 * too: a client that is generated from it on loopback meets a password where it is used, and has to understand that reply.
 */
export function anyErrors(
  route: Pick<Route, 'method' | 'isWebSocket' | 'isForOwnSite' | 'about' | 'query'>,
  hasAuth: boolean,
): readonly ErrorCode[] {
  return [
    'invalid-request',
    'unauthorized',
    hasAuth ? 'too-many-attempts' : 'forbidden-host',
    // Also on routes for every user: a proxy may have signed in a name that is no user.
    'forbidden',
    ...(route.method === 'get' && !route.isWebSocket && !route.isForOwnSite ? [] : (['cross-site'] as const)),
    ...(route.isWebSocket ? (['upgrade-required'] as const) : []),
    ...elsewhereErrors(route),
    'internal',
  ];
}

/** The refusals before a request reaches a route. */
export const unroutedErrors = ['request-timeout', 'expectation-failed', 'headers-too-large'] as const;

function headersOfStatus(status: number): readonly ReplyHeader[] {
  if (status === 401) return ['WWW-Authenticate'];
  if (status === 426) return ['Upgrade'];
  if (status === 416) return ['Content-Range'];
  return [409, 429, 503].includes(status) ? ['Retry-After'] : [];
}

/** `job-not-found` as `JobNotFound`. */
function componentName(code: ErrorCode): string {
  return code.replaceAll(/(?:^|-)(\w)/g, (_match, letter: string) => letter.toUpperCase());
}

function sentence(codes: readonly ErrorCode[]): string {
  return codes.map((code) => `\`${code}\`: ${errorSpec(code).meaning}.`).join(' ');
}

/** Replies that are refusals, by status. A status that stands for one code alone is shared by all routes. */
export class ProblemReplies {
  readonly #schemas: ComponentSchemas;
  readonly #examples: RecordedExamples;
  readonly #shared = new Map<string, object>();

  constructor(schemas: ComponentSchemas, examples: RecordedExamples) {
    this.#schemas = schemas;
    this.#examples = examples;
  }

  of(codes: readonly ErrorCode[]): Record<string, object> {
    const statuses = [...new Set(codes.map((code) => errorSpec(code).status))].toSorted((a, b) => a - b);
    return Object.fromEntries(
      statuses.map((status) => [
        status,
        this.#reply(codes.filter((code) => errorSpec(code).status === status)),
      ]),
    );
  }

  #reply(codes: readonly ErrorCode[]): object {
    const [only, ...others] = new Set(codes);
    if (only === undefined || others.length > 0) return this.#describe([...new Set(codes)]);
    const name = componentName(only);
    if (!this.#shared.has(name)) this.#shared.set(name, this.#describe([only]));
    return { $ref: `#/components/responses/${name}` };
  }

  #describe(codes: readonly ErrorCode[]): object {
    const status = codes[0] === undefined ? 500 : errorSpec(codes[0]).status;
    const examples = Object.fromEntries(
      codes.flatMap((code) => {
        const value = this.#examples.problems[code];
        return value === undefined ? [] : [[code, { summary: errorSpec(code).meaning, value }]];
      }),
    );
    return {
      description: `${STATUS_CODES[status]}. ${sentence(codes)}`,
      headers: headersOf(headersOfStatus(status)),
      content: {
        'application/problem+json': {
          schema: this.#schemas.of(problemSchema, 'output'),
          ...(Object.keys(examples).length > 0 && { examples }),
        },
      },
    };
  }

  shared(): Record<string, object> {
    return Object.fromEntries([...this.#shared].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }
}
