/**
 * What the service asks of a lab CLI of one kind. All that is true of that CLI alone (its program, flags, files, words
 * and documents) is behind this interface; the rest of src/labs works with any of them.
 */
import type { Mapping } from '../../lib/mapping.ts';
import type { Action, ResultCheck } from '../actions.ts';
import type { CliOptionValues } from '../options.ts';
import type { RunResult } from '../run.ts';

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

/** How a command ended that was not a success. */
export interface Ending {
  readonly action: Action;
  readonly cliName: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of the job's log; a few KiB are enough. */
  readonly logTail: string;
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

/** What a topology says about its lab, for a list of templates. */
export interface TopologySummary {
  readonly title: string | null;
  readonly description: string | null;
  readonly provider: string | null;
  readonly device: string | null;
  /** How many. */
  readonly nodes: number;
  readonly links: number;
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
  /** Of every node in the document of one instance. */
  readonly nodeStatesOf: (instanceJson: Buffer) => readonly NodeState[];
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
  /** Whether something of a lab may be left in `directory`, where an action was ended half-way or failed. When in doubt, yes. */
  readonly mayHaveLeftLab: (env: Environment, directory: string, logEnd: string) => boolean;

  readonly status: StatusDriver;
  /** The file in which it keeps its instances. When it changes, somebody started or stopped a lab, maybe not through us. */
  readonly stateFile: (env: Environment) => string;
}
