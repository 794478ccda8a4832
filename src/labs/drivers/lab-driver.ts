/**
 * What the service asks of a lab CLI of one kind. All that is true of that CLI alone (its program, flags, files, words
 * and documents) is behind this interface; the rest of src/labs works with any of them.
 */
import type { Mapping } from '../../lib/mapping.ts';
import type { Action, ResultCheck, ResultKind } from '../model/actions.ts';
import type { JobResult } from '../model/job-result.ts';
import type { OptionName } from '../model/option-kinds.ts';
import type { CliOptionValues } from '../model/options.ts';
import type { RunResult } from '../system/run.ts';
import type { LabEntries, LabEntry, StatusDriver } from './status-driver.ts';
import type { LabNeeds } from './lab-needs.ts';
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
  /** The lab that it is about; null when nobody can tell. */
  readonly instance: string | null;
  /** What `TopologyFiles.fileOf` said of it. */
  readonly labFile: string | undefined;
  /** Whether the status listed the lab when the command was asked for. */
  readonly isListed: boolean;
}

/** An action that is asked for, on a lab that may be there. */
export interface LabAsked {
  readonly action: Action;
  /** Real path. */
  readonly workdir: string;
  readonly instance: string | null;
  /** The names of the other lab CLIs of the service: a request may be for one of them (`cli`). Absent: it is alone. */
  readonly others?: readonly string[];
  readonly options: Pick<CliOptionValues, 'nodes'>;
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
  readonly action: Action;
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
  /** Whether it was about some nodes of the lab only. */
  readonly ofSomeNodes: boolean;
  /** Those that it was told, by their names. */
  readonly nodes: readonly string[];
  readonly logEnd: string;
  /** The directories of all instances, asked for anew; undefined when the status cannot be told. */
  readonly instanceDirs: () => Promise<readonly string[] | undefined>;
  /** Runs a program of this machine that only reports, to its end, for a few seconds at most. Never throws. */
  readonly look: (program: string, args: readonly string[]) => Promise<RunResult>;
}

/** A command that took a lab away. */
export interface LabDown extends Pick<ClaimedSuccess, 'logEnd' | 'look'>, ReadCommand {}

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
  /** A file of such a name is for this lab CLI, whatever others make of it. */
  readonly areOwnNames?: true;
  /** Never throws: what it does not understand it leaves out. */
  readonly summarize: (topology: Mapping) => TopologySummary;
  /** Sentences: what this machine lacks to run it. `has` tells whether a program is on the PATH of the lab CLI. */
  readonly missing: (
    summary: Pick<TopologySummary, 'provider'>,
    has: (program: string) => boolean,
  ) => readonly string[];
  /**
   * What the lab is to be called when a topology that is kept outside its directory, `workdir`, gives it no name. Absent when a
   * topology must give one.
   */
  readonly labNameFrom?: (workdir: string) => Promise<string>;
  /** The topology of a lab that is there; undefined when it is gone, or not known. Absent when no command needs it. */
  readonly fileOf?: (lab: {
    readonly instance: string;
    readonly workdir: string;
    /** Undefined for a lab that the status does not list. */
    readonly entry: LabEntry | undefined;
  }) => Promise<string | undefined>;
  /**
   * What the lab of a directory is called by the files that are there, when the status lists none: it is half started, say, or
   * about to be. Absent when the lab CLI finds the lab of a directory by itself. Never rejects.
   */
  readonly labOf?: (workdir: string) => Promise<string | undefined>;
}

/** A file or a directory that an action makes. */
export interface MadeFiles {
  readonly kind: 'file' | 'directory';
  /** Relative to the working directory, or absolute. */
  readonly path: string;
}

/** A program that runs on and on, and prints a line whenever something changes. */
export interface WatchDriver {
  readonly arguments: readonly string[];
  /** Whether the line tells of something that the status shows. Never throws. */
  readonly isChange: (line: string) => boolean;
}

/** What a lab CLI keeps in files. */
interface FilesDriver {
  /**
   * The entries of all labs by their ids, as it has them on record now and as its status tells them, without a run of it.
   * Each has a directory. Absent when it keeps no record: what its status told last counts then.
   * @throws Error when its record cannot be read.
   */
  readonly recordedLabs?: (env: Environment) => LabEntries;
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

  readonly needs: LabNeeds;

  /** The options that it takes, besides `instance`, of those that an action has. */
  readonly options: Readonly<Record<Action, readonly OptionName[]>>;
  /** The arguments of a command, program excluded. */
  readonly commandArguments: (command: LabCommand) => readonly string[];
  /** What it calls an action, in words that come before all arguments of a person: `deploy`. Absent: by its own name. */
  readonly words?: Readonly<Partial<Record<Action, readonly string[]>>>;
  /** What its jobs get besides the environment of every lab CLI; `workdir` is a real path. Absent: nothing. */
  readonly jobEnvironment?: (workdir: string) => Readonly<Record<string, string>>;
  /** @throws AppError `invalid-request` about a value that it must not be given. `workdir` is a real path. */
  readonly checkOptions: (options: CliOptionValues, workdir: string) => Promise<void>;
  /** Absent when no action does anything else than it says. @throws AppError `invalid-request`, `topology-not-found`. */
  readonly checkLab?: (asked: LabAsked) => Promise<void>;
  /**
   * Whether the name of a lab is its own on the whole machine, so that two jobs about one must not run side by side in two
   * directories. Absent: labs are told apart by their directories.
   */
  readonly hasOneLabOfAName?: true;
  readonly topologies: TopologyFiles;
  /**
   * What the status will call the lab that a topology describes; null when that cannot be told. `topologyText` is undefined
   * when it is not known (too large, or gone). Never throws: what it does not understand it takes as not said.
   */
  readonly instanceOf: (lab: {
    readonly options: CliOptionValues;
    readonly topologyText: string | undefined;
  }) => Promise<string | null>;

  /** Instances that something on this machine seems to have, though the status lists no such lab. Never throws. */
  readonly instancesToAvoid: () => Promise<readonly string[]>;

  /** Lines, without colours, that look like progress and say nothing of it. Absent: there are none. */
  readonly nonProgress?: RegExp;
  /** One sentence for a person: how the command ended, and why. */
  readonly errorSentence: (ending: Ending) => string;
  /** For each thing to look at after exit code 0: why the command did not do what it says; undefined when it did. */
  readonly resultChecks: Readonly<
    Record<ResultCheck, (claim: ClaimedSuccess) => Promise<string | undefined>>
  >;
  /** Whether a command that ended with this exit code did what it was to do. Its result may have warnings all the same. */
  readonly isSuccess: (action: Action, exitCode: number) => boolean;
  /** Why a command that ended with exit code 0 did not do what it was to do, by what it found out, in a sentence. Absent: it did. */
  readonly doubt?: (result: JobResult) => string | undefined;
  /** What there is still of a lab, or of some nodes, that were taken away: sentences for a person. Absent: nothing. */
  readonly leftBehind?: (down: LabDown) => Promise<readonly string[]>;
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
  /** The file or directory that changes when somebody starts or stops a lab, maybe not through us. */
  readonly stateFile: (env: Environment) => string;
  /** The directory of its own state, which all services on this machine share that use it. */
  readonly stateDirectory: (env: Environment) => string;
  /** How it tells of changes while they happen; absent when it does not. */
  readonly watch?: WatchDriver;
}
