import {
  isMap,
  isScalar,
  Lexer,
  LineCounter,
  parseDocument,
  Parser,
  visit,
  type Document,
  type Node,
} from 'yaml';
import type * as z from 'zod';
import { didYouMean } from '../../lib/text/did-you-mean.ts';
import { issueWords } from '../../lib/text/issue-words.ts';
import { findTooDeep } from '../../lib/text/yaml-depth.ts';
import { yamlMistake } from '../../lib/text/yaml-mistake.ts';
import { UsersFileError } from './users-file-error.ts';
import { fieldsAt, usersSchema, type UsersFile } from './users-schema.ts';

type Path = readonly PropertyKey[];

/** A users file as a YAML document, with its lines. */
export interface UsersDocument {
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

const messageMaxChars = 200;

/** @throws UsersFileError if the text is no YAML, or uses aliases, which could make a small file a large one. */
export function parseYaml(text: string): UsersDocument {
  const lines = new LineCounter();
  const tooDeep = findTooDeep(text, { Lexer, Parser });
  if (tooDeep !== undefined) throw new UsersFileError([tooDeep.message]);
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [problem] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  const refuse = (at: number, message: string): never => {
    throw new UsersFileError([`line ${lines.linePos(at).line}: ${message.slice(0, messageMaxChars)}`]);
  };
  if (problem !== undefined) refuse(problem.pos[0], yamlMistake(problem.message));
  visit(document, {
    Alias: (_key, { source, range }) => refuse(range?.[0] ?? 0, `*${source}: write out what is meant`),
  });
  return { document, lines };
}

/** Returns the offset of the deepest part of `path` that exists. */
function offsetOf(document: Document.Parsed, path: Path): number {
  const node = document.getIn(path, true) as Node | undefined;
  if (node?.range) return node.range[0];
  return path.length === 0 ? 0 : offsetOf(document, path.slice(0, -1));
}

/** Returns the offset of a field's name. */
function offsetOfKey(document: Document.Parsed, path: Path, key: string): number {
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  const pair = isMap(map)
    ? map.items.find((item) => isScalar(item.key) && item.key.value === key)
    : undefined;
  const range = isScalar(pair?.key) ? pair.key.range : undefined;
  return range?.[0] ?? offsetOf(document, path);
}

function knownFields(path: Path): readonly string[] {
  if (path.includes('tokens')) return fieldsAt.token;
  const [last] = path.slice(-1);
  if (last === 'quotas' && path[0] !== 'users')
    return path.length === 1 ? fieldsAt.serverQuotas : fieldsAt.groupQuotas;
  if (last === 'together' || last === 'server') return fieldsAt.sharedLimits;
  if (path.includes('quotas')) return last === 'roles' ? fieldsAt.roles : fieldsAt.limits;
  if (path[0] === 'groups') return path.length === 1 ? fieldsAt.file : fieldsAt.group;
  return path.length === 0 ? fieldsAt.file : fieldsAt.user;
}

/** Returns the subject of a sentence, such as `user "ci": tokens.0.id: `. */
function subject(document: Document.Parsed, path: Path): string {
  if (path.length < 2) return path.length === 0 ? '' : `${String(path[0])}: `;
  if (path[0] === 'quotas') return `${path.map(String).join('.')}: `;
  const name = document.getIn([...path.slice(0, 2), 'name']);
  const kind = path[0] === 'groups' ? 'group' : 'user';
  const item = typeof name === 'string' ? JSON.stringify(name) : `number ${Number(path[1]) + 1}`;
  const field = path.slice(2).map(String).join('.');
  return `${kind} ${item}: ${field === '' ? '' : `${field}: `}`;
}

function sentencesOf(issue: z.core.$ZodIssue, { document, lines }: UsersDocument): string[] {
  const say = (offset: number, message: string): string =>
    `line ${lines.linePos(offset).line}: ${subject(document, issue.path)}${message}`;
  if (issue.code !== 'unrecognized_keys') return [say(offsetOf(document, issue.path), issue.message)];
  return issue.keys.map((key) =>
    say(
      offsetOfKey(document, issue.path, key),
      `there is no field ${JSON.stringify(key.slice(0, 100))}${didYouMean(key, knownFields(issue.path))}`,
    ),
  );
}

/**
 * Returns the users and the groups of a file's text.
 * @param own The name of LAB_API_USER, which none of them may have.
 * @throws UsersFileError with every problem.
 */
export function usersFileOf(source: UsersDocument, own?: string): UsersFile {
  const value: unknown = source.document.toJS();
  if (value === null) throw new UsersFileError(['the file is empty; "users: []" stands for no users']);
  const parsed = usersSchema(own).safeParse(value, { error: issueWords });
  if (!parsed.success)
    throw new UsersFileError(parsed.error.issues.flatMap((issue) => sentencesOf(issue, source)));
  return parsed.data;
}
