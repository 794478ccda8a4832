/** What a lab is called in a cluster: `default@lab2` is the instance `default` of the host `lab2`. */

interface OfLab {
  readonly instance?: string | null | undefined;
  readonly host?: string | null | undefined;
}

/** As the service calls the lab that a job or an event is about; empty where nobody can tell. */
export function labIdOf({ instance, host }: OfLab): string {
  if (typeof instance !== 'string') return '';
  return typeof host === 'string' ? `${instance}@${host}` : instance;
}

/** As jobs call it. */
export function instanceOf(labId: string): { readonly instance: string; readonly host?: string } {
  const at = labId.lastIndexOf('@');
  return at <= 0 ? { instance: labId } : { instance: labId.slice(0, at), host: labId.slice(at + 1) };
}
