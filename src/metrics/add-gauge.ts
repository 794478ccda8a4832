import Gauge from 'prom-client/lib/gauge.js';
import type Registry from 'prom-client/lib/registry.js';

interface Described {
  readonly name: string;
  /** With the unit. */
  readonly help: string;
}

/** A gauge that each scrape reads. It is left out when `look` returns undefined: an unknown value is not reported. */
export function addGauge(
  registry: Registry,
  described: Described,
  look: () => number | undefined | Promise<number | undefined>,
): void {
  const gauge: Gauge = new Gauge({
    ...described,
    registers: [],
    async collect() {
      const value = await look();
      // Without labels, it would begin with a 0 that was never measured.
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    },
  });
  registry.registerMetric(gauge);
}

/** How many there are in each state, looked up at each scrape; left out like the others. */
export function addStateGauge<State extends string>(
  registry: Registry,
  described: Described & { readonly states: readonly State[] },
  look: () => readonly State[] | undefined,
): void {
  const { states, ...text } = described;
  const gauge: Gauge<'state'> = new Gauge({
    ...text,
    labelNames: ['state'],
    registers: [],
    collect() {
      const seen = look();
      gauge.reset();
      if (seen === undefined) return;
      for (const state of states) gauge.set({ state }, seen.filter((each) => each === state).length);
    },
  });
  registry.registerMetric(gauge);
}
