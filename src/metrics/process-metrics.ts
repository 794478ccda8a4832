/** The resources of the process, and the lag of its event loop. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import addHeap from 'prom-client/lib/metrics/heapSizeAndUsed.js';
import addMemory from 'prom-client/lib/metrics/osMemoryHeap.js';
import addMaxDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js';
import addOpenDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js';
import addStartTime from 'prom-client/lib/metrics/processStartTime.js';
import type Registry from 'prom-client/lib/registry.js';
import { every } from '../lib/async/disposal.ts';

const lagIntervalMs = 1_000;
/** How often the loop is sampled. A finer resolution costs an idle service more wake-ups, and reveals no more relevant stalls. */
const lagResolutionMs = 50;
const lagBuckets = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/**
 * prom-client's own, under the names that every Prometheus knows, without those that cost: garbage collection, heap spaces,
 * handles and requests, and a loop monitor that one scrape resets under the other.
 */
export function addProcessMetrics(registry: Registry, version: string): void {
  for (const add of [addStartTime, addMemory, addHeap, addOpenDescriptors, addMaxDescriptors]) add(registry);
  const registers = [registry];
  // prom-client's own needs the OpenTelemetry API.
  const processor: Counter = new Counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      processor.reset();
      processor.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: 'lab_api_build_info',
    help: 'Always 1; the labels have the versions of lab-api and Node.js.',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version, node_version: process.version }, 1);
}

/** The longest stall of each second, as long as the service runs. The result adds up what comes from now on, and ends it. */
export function addEventLoopLag(registry: Registry): { readonly start: () => () => void } {
  const lag = new Histogram({
    name: 'lab_api_event_loop_lag_seconds',
    help: 'Longest delay of the event loop in each second, in seconds.',
    buckets: lagBuckets,
    registers: [registry],
  });
  const start = (): (() => void) => {
    const delay = monitorEventLoopDelay({ resolution: lagResolutionMs });
    delay.enable();
    const stop = every(lagIntervalMs, () => {
      // It measures from one look to the next, in nanoseconds.
      lag.observe(Math.max(0, delay.max / 1e9 - lagResolutionMs / 1e3));
      delay.reset();
    });
    return () => {
      stop();
      delay.disable();
    };
  };
  return { start };
}
