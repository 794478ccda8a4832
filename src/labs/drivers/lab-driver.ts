/**
 * What the service asks of a lab CLI of one kind. All that is true of that CLI alone (its program, flags, files, words
 * and documents) is behind this interface; the rest of src/labs works with any of them.
 */
import type { Mapping } from '../../lib/mapping.ts';
import type { Action, ResultCheck, ResultKind } from '../actions.ts';
import type { JobResult } from '../job-result.ts';
import type { CliOptionValues } from '../options.ts';
import type { RunResult } from '../run.ts';
import type { TestsDriver } from './tests-driver.ts';
import type { TopologyDriver } from './topology-driver.ts';
import type { NodeDriver } from './node-driver.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The program that does the work. */
export interface LabProgram {
  /** What people call it: `netlab`. */
  readonly name: string;
  /** Absolute path of the program. */
  readonly file: string;
  /** Directories whose programs the lab CLI calls by name; those that are not on its PATH already go first on it. */
  readonly binDirs: readonly string[];
  /** The directory of the interpreter that has to run it; before everything else on its PATH. */
  readonly interpreterDir?: string;
}

/** A lab CLI that is on this machine: its program, and the driver that knows its language. */
export interface LabCli extends LabProgram {
  readonly driver: LabDriver;
}

/** What a job is to do. */
export interface LabCommand {
  readonly action: Action;
  /** Those that the action takes. */
  readonly options: CliOptionValues;
  /** Absolute; undefined for an action that reads none. */
  readonly topologyFile: string | undefined;
  /** What the lab is to be called; undefined when its topology says so, or is called after the file's own directory. */
  readonly labName: string | undefined;
}

/** An action that is asked for, on a lab that may be there. */
export interface LabAsked {
  readonly action: Action;
  /** Real path. */
  readonly workdir: string;
  readonly instance: string | null;
  /** That of the service, which the lab CLI gets. */
  readonly env: Environment;
  /** Runs the lab CLI to its end in that directory, to look at something; does not throw for a failure of the CLI. */
  readonly run: (args: readonly string[]) => Promise<RunResult>;
}

/** How a command ended that was not a success. */
export interface Ending {
  readonly action: Action;
  readonly cliName: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of the job's log; a few KiB are enough. */
  readonly logTail: string;
  /** What was read from all of it, if its action has a result. */
  readonly result?: JobResult | null;
}

/** A command that was ended half-way, or failed. */
export interface UnfinishedRun {
  /** Where it ran. */
  readonly directory: string;
  readonly logEnd: string;
  /**
   * When it began, in ms since 1970, for one that was to start a lab: what was there before is not of its making, and the lab of
   * somebody whose next `up` is refused must live on. Null for one that changes the lab that is there.
   */
  readonly beganMs: number | null;
}

/** A command that ended with exit code 0. */
export interface ClaimedSuccess {
  readonly workdir: string;
  /** That of the lab; null when it was not known. */
  readonly instance: string | null;
  readonly dryRun: boolean;
  readonly logEnd: string;
  /** The directories of all instances, asked for anew; undefined when the status cannot be told. */
  readonly instanceDirs: () => Promise<readonly string[] | undefined>;
  /** Runs a program of this machine that only reports, to its end, for a few seconds at most. Never throws. */
  readonly look: (program: string, args: readonly string[]) => Promise<RunResult>;
}

/** What was made of the output of a command. */
export interface ReadOutput {
  /** null when it says nothing that is understood. */
  readonly result: JobResult | null;
  /** Sentences for the warnings of the job: what a person should know of the result. */
  readonly warnings: readonly string[];
}

/** A command whose output is read. */
export interface ReadCommand {
  /** The argument list, program first, as it was started. */
  readonly command: readonly string[];
}

/** How it ended: without exit code when it was ended, or nobody saw it. */
export interface OutputEnd {
  readonly exitCode: number | null;
}

/**
 * Makes a result of what a command printed. It is given the log line by line, without colours, and a line of more than some
 * KiB cut: what it keeps is bounded, however long the log is. It never guesses: what it does not understand it leaves out.
 */
export interface OutputReader {
  readonly line: (text: string) => void;
  readonly end: (end: OutputEnd) => ReadOutput;
}

/** What a topology says about its lab, for a list of templates. */
export interface TopologySummary {
  readonly title: string | null;
  readonly description: string | null;
  readonly provider: string | null;
  readonly device: string | null;
  /** The device types of its nodes, as far as it says. */
  readonly devices: readonly string[];
  /** How many. */
  readonly nodes: number;
  readonly links: number;
  /** Sentences: what is in it that this lab CLI does not have. */
  readonly unsupported: readonly string[];
}

export interface TopologyFiles {
  /** Where one is looked for when a request names none: paths relative to `workdir`, best first. They need not exist. */
  readonly candidates: (workdir: string) => Promise<readonly string[]>;
  /** The same for a person who is told that there is none. */
  readonly places: readonly string[];
  /** Whether a file of this name may be a topology. */
  readonly isName: (name: string) => boolean;
  /** Never throws: what it does not understand it leaves out. */
  readonly summarize: (topology: Mapping) => TopologySummary;
  /** Sentences: what this machine lacks to run it. `has` tells whether a program is on the PATH of the lab CLI. */
  readonly missing: (
    summary: Pick<TopologySummary, 'provider'>,
    has: (program: string) => boolean,
  ) => readonly string[];
  /** What the lab is to be called when a topology that is kept outside its directory, `workdir`, gives it no name. */
  readonly labNameFrom: (workdir: string) => Promise<string>;
}

/** What the lab CLI knows about one lab instance; open-ended, newer versions add fields. */
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
  /** What runs its nodes; the first of several. */
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

/** What a driver may use to find out about a status. */
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
  /** What tells this start of a lab from any other one, and when it was (ms since 1970, null when that is not told). Never throws. */
  readonly startOf: (entry: LabEntry) => { readonly mark: string; readonly atMs: number | null } | undefined;
  /** Never throws, as the next one: what it does not understand is `other`, or `unknown`. */
  readonly stateOf: (entry: LabEntry) => LabState;
  readonly summaryOf: (entry: LabEntry) => LabSummary;
  /** Every node in the document of one instance, which was printed at that time (in ms since 1970). */
  readonly nodesOf: (instanceJson: Buffer, printedAtMs: number) => readonly NodeStatus[];
}

/** A file or a directory that an action makes. */
export interface MadeFiles {
  readonly kind: 'file' | 'directory';
  /** Relative to the working directory, or absolute. */
  readonly path: string;
}

/** What a lab CLI keeps in files. */
interface FilesDriver {
  /**
   * The entries of all labs by their ids, as it has them on record now and as its status tells them, without a run of it.
   * Each has a directory. @throws Error when its record cannot be read.
   */
  readonly recordedLabs: (env: Environment) => LabEntries;
  /** What an action makes in its working directory for whoever asked for it. Never throws. */
  readonly madeBy: (action: Action, options: CliOptionValues) => readonly MadeFiles[];
}

export interface LabDriver {
  /** What LAB_API_CLI calls it. */
  readonly name: string;
  /** Whether its program comes with ours, and can run in a process of ours. */
  readonly isBundled: boolean;
  /** Its program as it is on this machine now; undefined when it is not there. */
  readonly find: (env: Environment) => LabProgram | undefined;
  /** Whether a program that LAB_API_CLI gives by another name, or by its path, is of this kind. */
  readonly recognizes: (file: string) => boolean;
  /** The arguments with which it tells its version. */
  readonly versionArguments: readonly string[];

  /** The arguments of a command, program excluded. */
  readonly commandArguments: (command: LabCommand) => readonly string[];
  /** @throws AppError `invalid-request` about a value that it must not be given. `workdir` is a real path. */
  readonly checkOptions: (options: CliOptionValues, workdir: string) => Promise<void>;
  /** Absent when no action does anything else than it says. @throws AppError `invalid-request`, `topology-not-found`. */
  readonly checkLab?: (asked: LabAsked) => Promise<void>;
  readonly topologies: TopologyFiles;
  /**
   * What the status will call the lab that a topology describes. `topologyText` is undefined when it is not known (too
   * large, or gone). Never throws: what it does not understand it takes as not said.
   */
  readonly instanceOf: (lab: {
    readonly options: CliOptionValues;
    readonly topologyText: string | undefined;
  }) => Promise<string>;

  /** Instances that something on this machine seems to have, though the status lists no such lab. Never throws. */
  readonly instancesToAvoid: () => Promise<readonly string[]>;

  /** One sentence for a person: how the command ended, and why. */
  readonly errorSentence: (ending: Ending) => string;
  /** For each thing to look at after exit code 0: why the command did not do what it says; undefined when it did. */
  readonly resultChecks: Readonly<
    Record<ResultCheck, (claim: ClaimedSuccess) => Promise<string | undefined>>
  >;
  /** Whether a command that ended with this exit code did what it was to do. Its result may have warnings all the same. */
  readonly isSuccess: (action: Action, exitCode: number) => boolean;
  readonly outputReaders: Readonly<Record<ResultKind, (command: ReadCommand) => OutputReader>>;
  /** Why an action makes no sense with this lab CLI, in a sentence; absent for what it can do. */
  readonly unsupported?: Readonly<Partial<Record<Action, string>>>;
  /** Whether an action that was ended half-way or failed may have left something of a lab. When in doubt, yes. */
  readonly mayHaveLeftLab: (env: Environment, run: UnfinishedRun) => boolean;

  readonly status: StatusDriver;
  readonly tests: TestsDriver;
  readonly nodes: NodeDriver;
  readonly topology: TopologyDriver;
  readonly files: FilesDriver;
  /** The file in which it keeps its instances. When it changes, somebody started or stopped a lab, maybe not through us. */
  readonly stateFile: (env: Environment) => string;
}
