/** Users without passwords: a header says who sends a request, and their logins end when the test wants it. */
import type { RequestHandler } from 'express';
import type { Principal } from '../../src/access/model/principal.ts';
import type { Role } from '../../src/access/model/role.ts';

interface Person {
  readonly role: Role;
  readonly workdirs?: readonly string[];
}

/** As credentials are sent: whatever passes those on passes these on. */
const header = 'Authorization';
const scheme = 'Test ';

export class People {
  readonly #people: Readonly<Record<string, Person>>;
  readonly #logins = new Map<string, { readonly principal: Principal; readonly end: AbortController }>();

  #assistantOf = '';

  constructor(people: Readonly<Record<string, Person>>) {
    this.#people = people;
  }

  /**
   * Lets each in as whom the header names. Tools of an assistant come with what was lent to them, which names nobody where
   * nobody logs in: they are whose assistant asked last.
   */
  readonly admit: RequestHandler = (req, _res, next) => {
    const given = req.get(header) ?? '';
    const name = given.startsWith('Bearer ') ? this.#assistantOf : given.slice(scheme.length);
    if (req.path === '/mcp') this.#assistantOf = name;
    req.principal = this.#login(name).principal;
    next();
  };

  /** What a request of that user has to say. */
  as(name: string): Record<string, string> {
    return { [header]: `${scheme}${name}` };
  }

  /** As when the user is removed, or the token revoked; the next request is a new login. */
  revoke(name: string): void {
    this.#login(name).end.abort();
    this.#logins.delete(name);
  }

  #login(name: string) {
    const known = this.#logins.get(name);
    if (known) return known;
    const person = this.#people[name];
    if (person === undefined) throw new Error(`nobody is called ${name}`);
    const end = new AbortController();
    const { role, workdirs = null } = person;
    const principal: Principal = { name, role, workdirs, loggedInBy: 'token', revoked: end.signal };
    const login = { principal, end };
    this.#logins.set(name, login);
    return login;
  }
}
