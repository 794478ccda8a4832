/** Which host has a workspace, or is to have it. */
import { AppError } from '../lib/app-error.ts';
import type { Bindings, Place } from './bindings.ts';
import type { ClaimJob } from './claim-job.ts';
import type { Host } from './model/host.ts';
import type { OwnHost } from './own-host.ts';
import type { Placement } from './placement.ts';
import type { Registry } from './registry.ts';

interface WorkspaceHostsDeps {
  readonly ownId: () => string;
  readonly own: Pick<OwnHost, 'isOwnPlace'>;
  readonly registry: Registry;
  readonly bindings: Bindings;
  readonly placement: Placement;
  readonly claimJob: Pick<ClaimJob, 'holdPlaces'>;
  /** @throws AppError `cluster-unavailable` when Redis may have lost what is asked for. */
  readonly notFound: () => undefined;
}

export class WorkspaceHosts {
  readonly #deps: WorkspaceHostsDeps;

  constructor(deps: WorkspaceHostsDeps) {
    this.#deps = deps;
  }

  /** @throws AppError `cluster-unavailable`. */
  async hostOf(name: string): Promise<Host | undefined> {
    const { ownId, own, registry, bindings } = this.#deps;
    if (await own.isOwnPlace({ workspace: name, directory: undefined, instance: undefined }))
      return registry.get(ownId());
    const host = await bindings.hostOf('workspace', name);
    return registry.hosts.find((one) => one.id === host);
  }

  /** As `hostOf`; for a workspace without a host `wanted`, else the one with most room; the same for all who ask at once. */
  async hostFor(name: string, wanted: string | undefined): Promise<Host> {
    const { ownId, registry, bindings, placement, notFound } = this.#deps;
    const asked = wanted === undefined ? undefined : registry.get(wanted);
    const known = await this.hostOf(name);
    if (known === undefined) notFound();
    const [best] = placement.candidates(registry.hosts, { labels: [] });
    const host = known ?? asked ?? best ?? registry.get(ownId());
    if (asked !== undefined && asked.id !== host.id)
      throw new AppError('conflict', `host: the workspace ${name} is on the host ${host.name}`);
    if (known) return known;
    placement.noteGiven(host);
    const { holder } = await bindings.bind('workspace', name, host.id);
    const holding = registry.hosts.find(({ id }) => id === holder);
    if (holding) return holding;
    await bindings.takeOver('workspace', name, holder, host.id);
    return host;
  }

  /** See `ClusterService.makeWorkspaces`. */
  async makeHere<T>(names: readonly string[], make: () => Promise<T>): Promise<T> {
    const { ownId, claimJob } = this.#deps;
    const places = names.map((name): Place => ({ kind: 'workspace', name }));
    return claimJob.holdPlaces(places, async () => {
      for (const name of names) {
        const { id, name: holder } = await this.hostFor(name, ownId());
        if (id !== ownId()) throw new AppError('conflict', `the workspace ${name} is on the host ${holder}`);
      }
      return make();
    });
  }
}
