/** Holds every reply that a test gets against what its route declares: a description of the API is true or it is nothing. */
import type { z } from 'zod';
import { problemSchema } from '../../src/http/reply/problem.ts';
import type { ReplySpec, Route } from '../../src/http/route.ts';
import { routes } from '../../src/http/routers/routes.ts';
import type { Reply } from './http-client.ts';

function routeOf(method: string, target: string): Route | undefined {
  const pathname = target.split(/[?#]/)[0] ?? '';
  const wanted = (method === 'HEAD' ? 'GET' : method).toLowerCase();
  return routes.find((route) => {
    const pattern = new RegExp(`^${route.path.replaceAll(/:\w+/g, '[^/]+')}/?$`);
    return route.method === wanted && pattern.test(pathname);
  });
}

function mediaTypeOf(reply: Reply): string | undefined {
  return reply.headers['content-type']?.split(';')[0];
}

function problemsOf(value: unknown, schema: z.ZodType): string[] {
  const { error } = schema.safeParse(value);
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}

function contentProblems(reply: Reply, declared: ReplySpec): string[] {
  if (reply.bytes.length === 0) return [];
  const mediaType = mediaTypeOf(reply);
  const schema = declared.content[mediaType ?? ''];
  if (schema === undefined) return [`a body of type ${mediaType} is not declared`];
  return schema === 'bytes' ? [] : problemsOf(reply.json, schema);
}

/** @throws Error that names what the route does not declare. */
export function assertDeclared(method: string, target: string, reply: Reply): void {
  const route = routeOf(method, target);
  const declared = route?.replies[reply.status];
  const isProblem = mediaTypeOf(reply) === 'application/problem+json';
  let problems: string[] = [];
  if (route && declared && !isProblem) problems = contentProblems(reply, declared);
  else if (isProblem && reply.bytes.length > 0) problems = problemsOf(reply.json, problemSchema);
  // 304 goes with any tagged reply, OPTIONS with any path; what Node's parser refuses never came to a route.
  else if (route && method !== 'OPTIONS' && reply.status !== 304 && reply.bytes.length > 0)
    problems = [`status ${reply.status} is not declared, and its body is no problem document`];
  else if (route && method !== 'OPTIONS' && reply.status < 304)
    problems = [`status ${reply.status} is not declared`];
  if (problems.length > 0)
    throw new Error(`the reply to ${method} ${target} is not as declared: ${problems.join('; ')}`);
}
