import { AppError } from '../../lib/app-error.ts';
import { roles, type Role } from '../model/role.ts';
import type { Claims, Grant } from './identity-provider.ts';

export interface ClaimRules {
  /** The claim that has the user's name. */
  readonly userClaim: string;
  /** The claim that has the values of `roles`: a text or a list of texts. */
  readonly roleClaim: string;
  /** The role by the value; `*` stands for any user. */
  readonly roles: readonly { readonly role: Role; readonly value: string }[];
}

export interface Identity {
  readonly name: string;
  readonly role: Role;
}

function textsIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((entry) => typeof entry === 'string');
}

/** Returns a claim by its name, or by a path into other claims (`realm_access.roles`). */
export function claimAt(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const step of name.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, step)) return undefined;
    found = (found as Claims)[step];
  }
  return found;
}

/** Returns the highest role that the claims give; undefined if they give none. */
function roleIn(claims: Claims, rules: ClaimRules): Role | undefined {
  const values = new Set([...textsIn(claimAt(claims, rules.roleClaim)), '*']);
  const given = new Set(rules.roles.filter(({ value }) => values.has(value)).map(({ role }) => role));
  return roles.findLast((role) => given.has(role));
}

/**
 * Returns the name and the role of a user.
 * @param nameProblem Returns the mistake in a name (`must …`).
 * @throws AppError `login-refused`.
 */
export function identityOf(
  { ofToken, info }: Pick<Grant, 'ofToken' | 'info'>,
  rules: ClaimRules,
  nameProblem: (name: string) => string | undefined,
): Identity {
  const claims = { ...ofToken, ...info };
  const name = claimAt(claims, rules.userClaim);
  if (typeof name !== 'string')
    throw new AppError(
      'login-refused',
      `the identity provider gives no claim ${JSON.stringify(rules.userClaim)} (LAB_API_OIDC_USER_CLAIM): a scope may be missing in LAB_API_OIDC_SCOPES`,
    );
  const problem = nameProblem(name);
  if (problem !== undefined)
    throw new AppError('login-refused', `the name ${JSON.stringify(name.slice(0, 128))} ${problem}`);
  const role = roleIn(claims, rules);
  if (role !== undefined) return { name, role };
  const given = textsIn(claimAt(claims, rules.roleClaim)).join(', ').slice(0, 500);
  const has = given === '' ? 'there is none' : `it has ${given}`;
  throw new AppError(
    'login-refused',
    `${JSON.stringify(name)} has no role on this server: LAB_API_OIDC_ROLES names no value of the claim ${JSON.stringify(rules.roleClaim)} (${has})`,
  );
}
