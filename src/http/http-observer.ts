/** The events of HTTP requests that metrics and the audit log receive. */

/** The kinds of streams that clients may follow without a time limit. */
export const streamKinds = ['log', 'events', 'exec', 'node-log', 'capture', 'terminal', 'ssh'] as const;
export type StreamKind = (typeof streamKinds)[number];

export interface EndedRequest {
  /** As the client wrote it. */
  readonly method: string;
  /** The pattern of the route below the base path, such as `/jobs/:id`; undefined when the request came to none. */
  readonly route: string | undefined;
  /** Undefined when the client went away before there was a reply. */
  readonly status: number | undefined;
  /** Until the last byte was handed over, or the connection was gone; undefined for a stream: its client decides. */
  readonly durationMs: number | undefined;
}

export interface HttpObserver {
  readonly requestEnded: (request: EndedRequest) => void;
  /** Called when a stream begins; what it returns, when it is over. */
  readonly streamOpened: (kind: StreamKind) => () => void;
}
