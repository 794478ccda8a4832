/**
 * The ids of labs in a cluster. Several hosts may have an instance "default": its id is `default@lab2` there, and `default`
 * alone is enough while only one host has it.
 */
import type { Response } from 'express';
import type { ClusterService } from '../../cluster/model/cluster-service.ts';
import type { Host } from '../../cluster/model/host.ts';
import type { Asker } from '../../cluster/model/message.ts';
import { AppError } from '../../lib/app-error.ts';
import { gather } from './gather.ts';

interface LabName {
  readonly instance: string;
  readonly host: string | undefined;
}

export function splitLabId(id: string): LabName {
  const at = id.lastIndexOf('@');
  return at <= 0 ? { instance: id, host: undefined } : { instance: id.slice(0, at), host: id.slice(at + 1) };
}

/** As lists of labs call it. */
export function labIdOf(instance: string, cluster: Pick<ClusterService, 'name'> | undefined): string {
  return cluster === undefined ? instance : `${instance}@${cluster.name}`;
}

/** A host answers from memory whether it has the lab. */
const searchMs = 5_000;

interface Search {
  readonly id: string;
  readonly asker: Asker;
  readonly res: Response;
}

/** A lab that was started a moment ago is not told of yet: its host knows it. */
async function hostsAsked(
  cluster: ClusterService,
  instance: string,
  { asker, res }: Search,
): Promise<readonly Host[]> {
  const path = `/labs/${encodeURIComponent(instance)}`;
  const { parts } = await gather(cluster, { path, asker, res, withinMs: searchMs });
  return parts.map(({ host }) => host);
}

/** The host of a lab; undefined when none is known to have it. @throws AppError `conflict` when several have one of that name. */
export async function findLab(cluster: ClusterService, search: Search): Promise<Host | undefined> {
  const { instance, host } = splitLabId(search.id);
  if (host !== undefined) return cluster.host(host);
  const told = cluster.hostsOfLab(instance);
  const known = told.length > 0 ? told : await hostsAsked(cluster, instance, search);
  if (known.length > 1) {
    const names = known.map(({ name }) => `${instance}@${name}`).join(', ');
    throw new AppError('conflict', `several hosts have a lab "${instance}": ask for one of ${names}`);
  }
  return known[0];
}
