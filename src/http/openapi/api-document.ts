/** The description of the API (OpenAPI 3.1), made from the table of routes: it says what this very service does. */
import { errorSpec } from '../../lib/error-codes.ts';
import { tags, type Route } from '../route.ts';
import { ComponentSchemas } from './component-schemas.ts';
import { ProblemReplies, unroutedErrors } from './errors.ts';
import { headerComponents } from './header-parts.ts';
import { operationOf, templatedPath } from './operation.ts';
import type { RecordedExamples } from './recorded-examples.ts';

/** The parts that differ between servers. */
export interface Served {
  readonly version: string;
  readonly basePath: string;
  readonly hasAuth: boolean;
  /** Whether `/healthz` needs no login although the rest does. */
  readonly publicHealthz: boolean;
  /** Whether `/readyz` needs none. */
  readonly publicReadyz: boolean;
}

const description = `Times are RFC 3339, UTC, with milliseconds; sizes are bytes; field names are camelCase. The paths, names and values are
stable: a new version may add to them, so ignore what you do not know.

- HEAD works wherever GET does. A known path with another method is 405 with \`Allow\`, any other path 404.
- A query parameter that a path does not know is a 400: a filter that is not applied would be a wrong answer.
- Every error is a problem document (RFC 9457); its \`code\` is for programs. Any path may answer with
  ${unroutedErrors.map((code) => `${errorSpec(code).status} \`${code}\``).join(', ')}, too.
- \`X-Request-Id\` is taken over, or made, and stands in every reply and in the log of the service.
`;

/** Any one of them will do. */
const securitySchemes = {
  basic: { type: 'http', scheme: 'basic', description: 'User name and password (RFC 7617).' },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token (RFC 6750), as `lab token create` makes it: for programs.',
  },
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: 'lab-session',
    description:
      'The cookie of `POST /session`: for browsers. Under TLS its name begins with `__Host-`, or with `__Secure-` where there is a base path.',
  },
} as const;

function pathsOf(routes: readonly Route[], operation: (route: Route) => object): Record<string, object> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) (paths[templatedPath(route.path)] ??= {})[route.method] = operation(route);
  return paths;
}

export function apiDocument(
  routes: readonly Route[],
  { version, basePath, hasAuth, publicHealthz, publicReadyz }: Served,
  examples: RecordedExamples,
) {
  const schemas = new ComponentSchemas();
  const problems = new ProblemReplies(schemas, examples);
  const isUnguarded = ({ operationId }: Route): boolean => publicHealthz && operationId === 'getLiveness';
  const isOpen = (route: Route): boolean =>
    route.permission === 'public' ||
    isUnguarded(route) ||
    (publicReadyz && route.operationId === 'getReadiness');
  const paths = pathsOf(routes, (route) => ({
    // A public route also refuses wrong credentials if the request has some.
    ...operationOf(route, { schemas, problems, examples, hasAuth: hasAuth && !isUnguarded(route) }),
    ...(hasAuth && isOpen(route) && { security: [] }),
  }));
  const headers = headerComponents(schemas);
  return {
    openapi: '3.1.1',
    info: {
      title: 'lab-api',
      version,
      summary: 'An HTTP API in front of a network-lab command-line tool',
      description,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: basePath === '' ? '/' : basePath, description: 'This server.' }],
    ...(hasAuth && { security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })) }),
    tags: Object.entries(tags).map(([name, words]) => ({ name, description: words })),
    paths,
    components: {
      schemas: schemas.all(),
      responses: problems.shared(),
      ...headers,
      ...(hasAuth && { securitySchemes }),
    },
  };
}
