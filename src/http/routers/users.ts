import * as z from 'zod';
import type { Account } from '../../access/model/accounts.ts';
import { anybody } from '../../access/model/principal.ts';
import { roles } from '../../access/model/role.ts';
import { newPasswordLength } from '../../access/model/user.ts';
import { noteTarget } from '../middleware/audit.ts';
import { checked } from '../request/checked.ts';
import { defineRoute, jsonReply, noParams, noQuery } from '../route.ts';

const userSchema = z
  .object({
    name: z.string().describe('The name, by which the user logs in.'),
    role: z.enum(roles).describe('The role.'),
    workdirs: z
      .array(z.string())
      .nullable()
      .describe('The only directories that the user may see, besides own workspaces; null for all.'),
    hasPassword: z.boolean().describe('False for a user with tokens only, or who logs in through a proxy.'),
    locked: z.boolean().describe('Whether the user keeps everything, but cannot log in.'),
    tokens: z.int().describe('The number of tokens, those that have expired too.'),
    expiredTokens: z.int().describe('The number of tokens that have expired.'),
    sessions: z.int().describe('The number of sessions that have not ended.'),
    inFile: z
      .boolean()
      .describe(
        'False for the user of `LAB_API_USER`, and for users of the identity provider who are not in the users file: they cannot be changed over the API.',
      ),
    groups: z
      .array(z.string())
      .describe('The groups of the users file that the user is a member or a leader of.'),
    subject: z
      .string()
      .nullable()
      .describe("The user's id at the identity provider (`sub`); null if they do not log in there."),
  })
  .meta({ id: 'User', description: 'A user of the service.' });

const groupSchema = z
  .object({
    name: z.string().describe('The name of the group.'),
    members: z.array(z.string()).describe('The names of its members, as the users file has them.'),
    leaders: z
      .array(z.string())
      .describe('The names of its leaders, who have the things of the members as if they were their own.'),
  })
  .meta({ id: 'UserGroup', description: 'A group of the users file.' });

const usersSchema = z
  .object({
    users: z.array(userSchema).describe('All users, in the order of the users file.'),
    groups: z.array(groupSchema).describe('All groups of the users file; only the file changes them.'),
    readOnly: z.string().nullable().describe('Why the service cannot change the users file; null if it can.'),
    problem: z
      .string()
      .nullable()
      .describe(
        'The mistake in the present users file, while the users of its last valid version count; null if it is valid.',
      ),
  })
  .meta({ id: 'UserList', description: 'The users of the service.' });

function viewOf({ isLocked, isInFile, workdirs, ...account }: Account): z.output<typeof userSchema> {
  return {
    ...account,
    groups: [...account.groups],
    workdirs: workdirs && [...workdirs],
    locked: isLocked,
    inFile: isInFile,
  };
}

/** With the flag `u`, the length is in code points, as in JSON Schema. */
export const newPassword = z
  .string()
  .regex(
    new RegExp(
      String.raw`^[^\u0000-\u001F\u007F-\u009F]{${newPasswordLength.min},${newPasswordLength.max}}$`,
      'u',
    ),
    `must have ${newPasswordLength.min} to ${newPasswordLength.max} characters, and no control characters`,
  );

const password = newPassword.describe('The password. Only its hash (scrypt) is stored.');

const workdirs = z
  .array(
    z
      .string()
      // oxlint-disable-next-line no-control-regex
      .regex(/^\/[^\u0000-\u001F\u007F]{0,4094}$/u, 'must be an absolute path, without control characters'),
  )
  .max(100)
  .nullable()
  .describe('The only directories that the user may see, besides own workspaces; null for all.');

const newUserSchema = z
  .strictObject({
    name: z
      .string()
      .regex(
        /^[A-Za-z0-9_][A-Za-z0-9_.@+-]{0,127}$/,
        'must have 1 to 128 letters, digits and . _ @ + -, and not begin with a sign; "lab user add" accepts other names',
      )
      .describe('The name. It cannot be changed later.'),
    role: z.enum(roles).default('viewer').describe('The role; `viewer` if absent.'),
    password: password.optional(),
    workdirs: workdirs.optional(),
  })
  .meta({ id: 'NewUser', description: 'A new user. Without a password, the user has tokens only.' });

const userChangesSchema = z
  .strictObject({
    role: z.enum(roles).optional().describe('The new role.'),
    password: password.nullable().optional().describe('A new password; null removes it.'),
    workdirs: workdirs.optional(),
    locked: z
      .boolean()
      .optional()
      .describe('true: the user cannot log in, and all logins end at once; false: the user can again.'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must name a field that changes')
  .meta({ id: 'UserChanges', description: 'The fields of a user that change.', minProperties: 1 });

const userParams = z.object({ name: z.string().describe('The name of the user, percent-encoded.') });

/** The errors of each change of the users file. */
export const usersFileErrors = ['invalid-json', 'conflict', 'not-supported', 'storage-fault'] as const;

const noOwnChange =
  'Administrators cannot change or remove themselves, so that one of them always remains. The users file stays the only truth, with its comments; when the service may not write it, this is a 422 with the reason.';

export const listUsers = defineRoute({
  method: 'get',
  path: '/users',
  permission: 'administer',
  about: 'thisHost',
  tag: 'users',
  operationId: 'listUsers',
  summary: 'The users, and whether the service can change them',
  description:
    'The users of this host: each host of a cluster has its own users file. A server without users has an empty list.',
  params: noParams,
  query: noQuery,
  replies: { 200: jsonReply('The users.', usersSchema) },
  handler: async ({ req, context: { accounts, users } }) => {
    const { accounts: all, whyReadOnly, problem } = await accounts.list(req.principal ?? anybody);
    const value = {
      users: all.map(viewOf),
      groups: users.groups.all.map(({ name, members, leaders }) => ({
        name,
        members: [...members],
        leaders: [...leaders],
      })),
      readOnly: whyReadOnly ?? null,
      problem: problem ?? null,
    };
    return { kind: 'json', status: 200, value };
  },
});

export const addUser = defineRoute({
  method: 'post',
  path: '/users',
  permission: 'administer',
  about: 'thisHost',
  tag: 'users',
  operationId: 'addUser',
  summary: 'Adds a user',
  description: noOwnChange,
  params: noParams,
  query: noQuery,
  body: { schema: newUserSchema, parse: (given) => checked(newUserSchema, given) },
  replies: { 201: jsonReply('The new user.', userSchema) },
  errors: [...usersFileErrors, 'payload-too-large'],
  handler: async ({ req, body, context: { accounts } }) => {
    noteTarget(req, { subject: body.name });
    const account = await accounts.add(req.principal ?? anybody, body);
    return { kind: 'json', status: 201, value: viewOf(account) };
  },
});

export const changeUser = defineRoute({
  method: 'patch',
  path: '/users/:name',
  permission: 'administer',
  about: 'thisHost',
  tag: 'users',
  operationId: 'changeUser',
  summary: 'Changes the role, the password or the directories of a user, or locks the user',
  description: `Everything that is open with a login that the change concerns ends at once: sessions, streams and terminals. Jobs and labs go on. ${noOwnChange}`,
  params: userParams,
  query: noQuery,
  body: { schema: userChangesSchema, parse: (given) => checked(userChangesSchema, given) },
  replies: { 200: jsonReply('The user after the change.', userSchema) },
  errors: [...usersFileErrors, 'user-not-found', 'payload-too-large'],
  handler: async ({ req, params, body, context: { accounts } }) => {
    const account = await accounts.change(req.principal ?? anybody, params.name, body);
    return { kind: 'json', status: 200, value: viewOf(account) };
  },
});

export const removeUser = defineRoute({
  method: 'delete',
  path: '/users/:name',
  permission: 'administer',
  about: 'thisHost',
  tag: 'users',
  operationId: 'removeUser',
  summary: 'Removes a user with all tokens and sessions',
  description: `The user leaves all groups of the users file. Jobs, labs and workspaces stay, and belong to that name: a new user of the same name owns them. ${noOwnChange}`,
  params: userParams,
  query: noQuery,
  replies: { 204: { description: 'The user is removed.', content: {} } },
  errors: [...usersFileErrors, 'user-not-found'],
  handler: async ({ req, params, context: { accounts } }) => {
    await accounts.remove(req.principal ?? anybody, params.name);
    return { kind: 'empty' };
  },
});
