import type { RequestHandler } from 'express';
import basicAuth from 'express-basic-auth';
import type { AppError } from '../../lib/app-error.ts';
import { beginProblem } from '../reply/problem.ts';
import { loginFailed } from '../request/log-in.ts';

/** Takes the verdict on a login: without an argument if it is right, with the error if it is wrong. */
export type Decided = (refusal?: AppError) => void;

/** Calls `decided`, or answers the request itself if there is no verdict. */
export type PasswordCheck = (name: string, password: string, decided: Decided) => void;

/** basic-auth reads the password with a `.`, which matches no line separator. */
const lineSeparator = /[\u2028\u2029]/;

/**
 * HTTP Basic (RFC 7617), by express-basic-auth. Its authorizer does not get the request, so each request has a middleware of its
 * own. Its callback must not get an error: the package asserts that there is none.
 */
export function basicLogin(
  { name, password }: { readonly name: string; readonly password: string },
  check: PasswordCheck,
): RequestHandler {
  return (req, res, next) => {
    if (lineSeparator.test(password)) return check(name, password, next);
    let refusal: AppError | undefined;
    const middleware = basicAuth({
      authorizeAsync: true,
      authorizer: (givenName, givenPassword, callback) =>
        check(givenName, givenPassword, (error) => {
          refusal = error;
          callback(null, error === undefined);
        }),
      // This sets the challenges too. The package's own has no charset, and names no tokens.
      unauthorizedResponse: () => beginProblem(refusal ?? loginFailed(), req, res),
    });
    return middleware(req, res, next);
  };
}
