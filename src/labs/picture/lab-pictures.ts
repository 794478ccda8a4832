import type { Fault } from '../model/fault.ts';
import { AppError } from '../../lib/app-error.ts';
import { StampedCache } from '../../lib/cache/stamped-cache.ts';
import type { LabLayouts } from './lab-layouts.ts';
import type { LabTopologies } from '../topologies/lab-topologies.ts';
import type { LabReady } from '../ready/lab-ready.ts';
import { drawSvg } from './draw-svg.ts';
import { graphOf, graphSize } from './graph-of.ts';
import type { LayoutThread } from './layout-thread.ts';
import { drawnState, type DrawnState } from './words.ts';
import type { Placed } from './picture.ts';
import { keyedLinks, positionsOf } from './positions.ts';
import type { LabList, ListedLab } from '../status/lab-list.ts';

interface LabPicturesDeps {
  readonly topologies: Pick<LabTopologies, 'of'>;
  readonly layouts: Pick<LabLayouts, 'get'>;
  readonly list: Pick<LabList, 'one'>;
  readonly ready: Pick<LabReady, 'known' | 'of'>;
  readonly thread: Pick<LayoutThread, 'layOut'>;
}

const keptMax = 32;
/** A larger picture is unreadable, and its layout takes minutes. */
const boxesMax = 1_500;
const linesMax = 3_000;

/** Pictures of labs. Each is laid out once, and again when its snapshot or the positions change; the state is drawn each time. */
export class LabPictures {
  readonly #deps: LabPicturesDeps;
  readonly #placed = new StampedCache<Placed>(keptMax);

  constructor(deps: LabPicturesDeps) {
    this.#deps = deps;
  }

  /**
   * With the state, it shows faults, too.
   * @throws AppError as `LabTopologies.of`; `not-supported` for a lab that is too large; with the state, as `LabList.one`.
   */
  async svg(
    id: string,
    { withState, faults = [] }: { readonly withState: boolean; readonly faults?: readonly Fault[] },
  ): Promise<string> {
    const { topologies, layouts, list, thread } = this.#deps;
    const { topology, stamp, directory } = await topologies.of(id);
    const { boxes, lines } = graphSize(topology);
    if (boxes > boxesMax || lines > linesMax) {
      const size = `${boxes} nodes and networks, and ${lines} lines`;
      const limit = `a picture has at most ${boxesMax} and ${linesMax}`;
      throw new AppError('not-supported', `lab "${id}" has ${size}: ${limit}; GET …/topology has them all`);
    }
    const graph = graphOf(topology);
    const given = positionsOf(await layouts.get(directory), keyedLinks(topology.links));
    const key = `${stamp} ${JSON.stringify(given)}`;
    const placed = await this.#placed.get(id, key, async () => thread.layOut({ graph, given }));
    const lab = withState ? (await list.one(id, { fresh: false })).value : undefined;
    const states = lab && this.#statesOf(lab);
    return drawSvg({ name: `Lab ${id}`, topology, placed, states, faults: withState ? faults : [] });
  }

  #statesOf(lab: ListedLab): ReadonlyMap<string, DrawnState> {
    const { ready } = this.#deps;
    ready.known(lab);
    const { nodes } = ready.of(lab);
    return new Map(lab.nodes.map(({ name, state }, index) => [name, drawnState(state, nodes[index]?.ready)]));
  }
}
