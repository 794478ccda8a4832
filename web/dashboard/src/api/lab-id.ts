/** The names of labs in a cluster: `default@lab2` is the instance `default` on the host `lab2`. */

interface OfLab {
  readonly instance?: string | null | undefined;
  readonly host?: string | null | undefined;
}

/** The ID of the lab of a job or an event; empty when the job has none. */
export function labIdOf({ instance, host }: OfLab): string {
  if (typeof instance !== 'string') return '';
  return typeof host === 'string' ? `${instance}@${host}` : instance;
}

/** The instance and the host of a lab ID, as jobs have them. */
export function instanceOf(labId: string): { readonly instance: string; readonly host?: string } {
  const at = labId.lastIndexOf('@');
  return at <= 0 ? { instance: labId } : { instance: labId.slice(0, at), host: labId.slice(at + 1) };
}
