/** The number of requests, and their durations. Input from clients never becomes the value of a label. */
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import Histogram from 'prom-client/lib/histogram.js';
import type Registry from 'prom-client/lib/registry.js';
import { streamKinds, type EndedRequest, type HttpObserver, type StreamKind } from '../http/http-observer.ts';

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60];

/** Node's parser knows some thirty methods; these are those that a client of ours may have reason to send. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export class HttpMetrics implements HttpObserver {
  readonly #requests;
  readonly #duration;
  readonly #streams;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'lab_api_http_requests_total',
      help: 'HTTP requests by route (unmatched: an unknown path or a refused login), method and status (aborted: the client left).',
      labelNames: ['route', 'method', 'status'],
      registers,
    });
    this.#duration = new Histogram({
      name: 'lab_api_http_request_duration_seconds',
      help: 'Time to answer HTTP requests in seconds, with ?wait but without streams.',
      labelNames: ['route', 'method'],
      buckets,
      registers,
    });
    this.#streams = new Gauge({
      name: 'lab_api_stream_clients',
      help: `Clients that follow a stream, by kind: ${streamKinds.join(', ')}.`,
      labelNames: ['kind'],
      registers,
    });
    for (const kind of streamKinds) this.#streams.set({ kind }, 0);
  }

  readonly requestEnded = (request: EndedRequest): void => {
    const { route = 'unmatched', status = 'aborted', durationMs } = request;
    const method = methods.has(request.method) ? request.method : 'other';
    this.#requests.inc({ route, method, status });
    if (durationMs !== undefined) this.#duration.observe({ route, method }, durationMs / 1_000);
  };

  readonly streamOpened = (kind: StreamKind): (() => void) => {
    this.#streams.inc({ kind });
    return () => this.#streams.dec({ kind });
  };
}
