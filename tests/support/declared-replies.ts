/** Holds every reply that a test gets against what its route declares: a description of the API is true or it is nothing. */
import { z } from 'zod';
import { replyHeaders } from '../../src/http/headers.ts';
import { unroutedErrors } from '../../src/http/openapi/errors.ts';
import { errorsOf } from '../../src/http/openapi/operation.ts';
import type { ReplySpec, Route } from '../../src/http/route.ts';
import { routes } from '../../src/http/routers/routes.ts';
import type { ErrorCode } from '../../src/lib/error-codes.ts';
import { problemDocumentProblems, replyProblems } from './api-schemas.ts';
import type { Reply } from './http-client.ts';

function routeOf(method: string, target: string): Route | undefined {
  const pathname = target.split(/[?#]/)[0] ?? '';
  const wanted = (method === 'HEAD' ? 'GET' : method).toLowerCase();
  return routes.find((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+').replaceAll(/\*\w+/g, '.+')}/?$`);
    return route.method === wanted && pattern.test(pathname);
  });
}

function mediaTypeOf(reply: Reply): string | undefined {
  return reply.headers['content-type']?.split(';')[0];
}

function contentProblems(route: Route, reply: Reply, declared: ReplySpec): string[] {
  if (reply.bytes.length === 0) return [];
  const mediaType = mediaTypeOf(reply) ?? '';
  const content = declared.content[mediaType];
  if (content === undefined) return [`a body of type ${mediaType} is not declared`];
  if (!(content instanceof z.ZodType)) return [];
  const { error } = content.safeParse(reply.json);
  const byZod = error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
  return [...byZod, ...replyProblems(route, reply.status, mediaType, reply.json)];
}

function headerProblems(reply: Reply, { headers: declared = [] }: ReplySpec): string[] {
  return Object.keys(replyHeaders)
    .filter((name) => reply.headers[name.toLowerCase()] !== undefined)
    .filter((name) => name !== 'X-Request-Id' && !declared.some((other) => other === name))
    .map((name) => `the header ${name} is not declared`);
}

/** Whether the route may refuse with it; what the parser refused, and an unknown path, is no route's. */
function problemProblems(route: Route | undefined, reply: Reply): string[] {
  if (reply.bytes.length === 0) return [];
  const { code } = reply.json as { code: ErrorCode };
  const codes = route && [...errorsOf(route, true), ...errorsOf(route, false), ...unroutedErrors];
  const undeclared = codes?.includes(code) === false ? [`the error ${code} is not declared`] : [];
  return [...undeclared, ...problemDocumentProblems(reply.json)];
}

/** @throws Error that names what the route does not declare. */
export function assertDeclared(method: string, target: string, reply: Reply): void {
  const route = routeOf(method, target);
  const declared = route?.replies[reply.status];
  let problems: string[] = [];
  if (mediaTypeOf(reply) === 'application/problem+json') problems = problemProblems(route, reply);
  else if (route && declared)
    problems = [...contentProblems(route, reply, declared), ...headerProblems(reply, declared)];
  // OPTIONS goes with any path; what Node's parser refuses never came to a route.
  else if (route && method !== 'OPTIONS' && reply.bytes.length > 0)
    problems = [`status ${reply.status} is not declared, and its body is no problem document`];
  else if (route && method !== 'OPTIONS' && reply.status <= 304)
    problems = [`status ${reply.status} is not declared`];
  if (problems.length > 0)
    throw new Error(`the reply to ${method} ${target} is not as declared: ${problems.join('; ')}`);
}
