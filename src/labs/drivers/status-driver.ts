/** How to read the status of labs from a lab CLI. */
import type { Mapping } from '../../lib/mapping.ts';
import type { RunResult } from '../system/run.ts';

/** The status of one lab instance in the format of the lab CLI; newer versions add fields. */
export type LabEntry = Mapping;

/** By their ids. */
export type LabEntries = ReadonlyMap<string, LabEntry>;

/** How far a lab is, in words that all lab CLIs share. `missing`: it was started, and nothing of it is there. */
export const labStates = ['starting', 'started', 'stopping', 'missing', 'other'] as const;
export type LabState = (typeof labStates)[number];

/** `unknown`: the lab CLI does not look after it. */
export const nodeStates = ['up', 'down', 'unknown'] as const;
export type NodeState = (typeof nodeStates)[number];

/** A lab, as the list of all tells it. */
export interface LabSummary {
  readonly name: string | null;
  /** The provider of its nodes; the first of several. */
  readonly provider: string | null;
  /** In ms since 1970; null while it was not. */
  readonly startedAtMs: number | null;
}

/** A moment that is known to within so many milliseconds. */
export interface RoughTime {
  readonly atMs: number;
  readonly withinMs: number;
}

/** A node, as the document of its lab tells it; null for what that does not say. */
export interface NodeStatus {
  readonly name: string;
  readonly device: string | null;
  readonly provider: string | null;
  readonly image: string | null;
  /** By which it is managed, without prefix length. */
  readonly address: string | null;
  readonly state: NodeState;
  /** When it came up. */
  readonly since: RoughTime | null;
}

/** The parts that a driver may use to read a status. */
export interface StatusSource {
  /** Runs the lab CLI to its end; does not throw for a failure of the CLI. */
  readonly run: (args: readonly string[]) => Promise<RunResult>;
  /** Every instance: as kept, or `fresh` from a run that begins now. */
  readonly entries: (fresh: boolean) => Promise<LabEntries>;
}

/**
 * Documents are what the lab CLI printed, byte for byte. All throw `lab-cli-failed` or `lab-cli-timeout`; those about an
 * instance `instance-not-found`, too.
 */
export interface StatusDriver {
  /** Every instance. That there are none is a document too. */
  readonly allJson: (
    run: StatusSource['run'],
  ) => Promise<{ readonly body: Buffer; readonly entries: LabEntries }>;
  readonly allText: (source: StatusSource) => Promise<Buffer>;
  /** One instance with its nodes; for a lab that is not up, its entry in the list of all. */
  readonly instanceJson: (id: string, source: StatusSource) => Promise<Buffer>;
  readonly instanceText: (id: string, source: StatusSource) => Promise<Buffer>;
  /** The directory that an instance lives in; undefined when the entry does not tell. */
  readonly directoryOf: (entry: LabEntry) => string | undefined;
  /** The identity of this start of a lab, and its time (ms since 1970, null if unknown). Never throws. */
  readonly startOf: (entry: LabEntry) => { readonly mark: string; readonly atMs: number | null } | undefined;
  /** Never throws, as the next one: what it does not understand is `other`, or `unknown`. */
  readonly stateOf: (entry: LabEntry) => LabState;
  /**
   * The lab CLI, by its name, that has started the lab by way of this one: only that knows what else belongs to the lab. Undefined
   * for a lab of this one; absent when no other does such a thing. Never throws.
   */
  readonly starterOf?: (entry: LabEntry) => string | undefined;
  readonly summaryOf: (entry: LabEntry) => LabSummary;
  /** Every node in the document of one instance, which was printed at that time (in ms since 1970). */
  readonly nodesOf: (instanceJson: Buffer, printedAtMs: number) => readonly NodeStatus[];
  /** The entries of nodes in the same document, by name; undefined for a lab that is not up. */
  readonly nodeEntriesOf: (instanceJson: Buffer) => Mapping | undefined;
  /** The document of some of the labs, in the shape of that of all. */
  readonly documentOf: (entries: LabEntries) => Mapping;
}
