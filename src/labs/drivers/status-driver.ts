/** The status of all labs, as a lab CLI reports it. */
import type { Mapping } from '../../lib/mapping.ts';
import type { RunResult } from '../system/run.ts';

/** The entry of one lab instance; newer versions of the lab CLI add fields. */
export type LabEntry = Mapping;

/** By instance. */
export type LabEntries = ReadonlyMap<string, LabEntry>;

/** The states of labs, in words that all lab CLIs share. `missing`: the lab was started, and no part of it exists any more. */
export const labStates = ['starting', 'started', 'stopping', 'missing', 'other'] as const;
export type LabState = (typeof labStates)[number];

/** `unknown`: the lab CLI does not manage the node. */
export const nodeStates = ['up', 'down', 'unknown'] as const;
export type NodeState = (typeof nodeStates)[number];

/** A lab in the list of all labs. */
export interface LabSummary {
  readonly name: string | null;
  /** The technology that runs its nodes; the first of several. */
  readonly provider: string | null;
  /** In ms since 1970; null when it was not started. */
  readonly startedAtMs: number | null;
}

/** A time with its precision in milliseconds. */
export interface RoughTime {
  readonly atMs: number;
  readonly withinMs: number;
}

/** A container that exists. */
export interface ContainerThere {
  readonly isRunning: boolean;
  /** Of its first process; 0 when it does not run. */
  readonly pid: number;
  /** `starting`, `healthy` or `unhealthy`, from Docker. Absent: its image has no health check, or the document does not tell. */
  readonly health?: string;
}

/** A node in the document of its lab; null for values that the document does not have. */
export interface NodeStatus {
  readonly name: string;
  readonly device: string | null;
  readonly provider: string | null;
  readonly image: string | null;
  /** The management address, without prefix length. */
  readonly address: string | null;
  readonly state: NodeState;
  /** When it started. */
  readonly since: RoughTime | null;
  /** The Docker container that it is; null for any other node. */
  readonly container: {
    readonly name: string;
    /** The node of the topology that consists of this container and others; null when it is all of its node. */
    readonly partOf: string | null;
    /** As the document tells it; undefined when Docker is to be asked. */
    readonly there: ContainerThere | undefined;
  } | null;
}

/** The means of a driver to read a status. */
export interface StatusSource {
  /** Runs the lab CLI to its end; does not throw for a failure of the CLI. */
  readonly run: (args: readonly string[]) => Promise<RunResult>;
  /** All instances: cached, or `fresh` from a run that begins now. */
  readonly entries: (fresh: boolean) => Promise<LabEntries>;
}

/** The service, as far as it reads the state of a lab CLI itself. */
export interface Asker {
  /** The environment that the lab CLI gets. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether the lab CLI runs as another user than the service (`LAB_API_JOB_USER`), with none of its privileges. */
  readonly isOtherUser: boolean;
}

/**
 * Documents are the output of the lab CLI, byte for byte. All methods throw `lab-cli-failed` or `lab-cli-timeout`; methods about
 * one instance also `instance-not-found`.
 */
export interface StatusDriver {
  /**
   * The result of a run with these arguments, without that run; undefined where only the run can tell. Absent: it has to run
   * each time. Never rejects.
   */
  readonly answer?: (args: readonly string[], asker: Asker) => Promise<RunResult | undefined>;
  /** All instances. An empty list is a document, too. */
  readonly allJson: (
    run: StatusSource['run'],
  ) => Promise<{ readonly body: Buffer; readonly entries: LabEntries }>;
  readonly allText: (source: StatusSource) => Promise<Buffer>;
  /** One instance with its nodes; for a lab that does not run, its entry in the list of all. */
  readonly instanceJson: (id: string, source: StatusSource) => Promise<Buffer>;
  readonly instanceText: (id: string, source: StatusSource) => Promise<Buffer>;
  /** The directory of an instance; undefined when the entry has none. */
  readonly directoryOf: (entry: LabEntry) => string | undefined;
  /** A mark that differs between two starts of a lab, and the time of this start (ms since 1970; null when unknown). Never throws. */
  readonly startOf: (entry: LabEntry) => { readonly mark: string; readonly atMs: number | null } | undefined;
  /** Never throws: an unknown state is `other`. */
  readonly stateOf: (entry: LabEntry) => LabState;
  /**
   * The name of the lab CLI that started the lab through this one: only the starter knows all parts of the lab. Undefined for a
   * lab that this one started; absent when no other lab CLI uses this one. Never throws.
   */
  readonly starterOf?: (entry: LabEntry) => string | undefined;
  readonly summaryOf: (entry: LabEntry) => LabSummary;
  /** A sentence when the record of the lab CLI says that its last command stopped half-way. Absent when it never does. */
  readonly problemOf?: (entry: LabEntry) => string | undefined;
  /** All nodes in the document of one instance, which was printed at that time (in ms since 1970). Never throws. */
  readonly nodesOf: (instanceJson: Buffer, printedAtMs: number) => readonly NodeStatus[];
  /** The nodes of a lab whose document has none. Absent: it has none then. Never rejects; `look` runs a program that only reports. */
  readonly unlistedNodes?: (
    entry: LabEntry,
    look: (program: string, args: readonly string[]) => Promise<RunResult>,
  ) => Promise<readonly NodeStatus[]>;
  /** Present when that document leaves out nodes that are not there. The topology of the lab is a file then, read without a run. */
  readonly tellsOnlyNodesThere?: true;
  /** The entries of the nodes in the same document, by name; undefined for a lab that does not run. */
  readonly nodeEntriesOf: (instanceJson: Buffer) => Mapping | undefined;
  /** A document of some labs, in the form of the document of all labs. */
  readonly documentOf: (entries: LabEntries) => Mapping;
}
