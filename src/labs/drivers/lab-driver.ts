/** The interface to one kind of lab CLI: no other part of src/labs knows its flags, files, messages and documents. */
import type { Mapping } from '../../lib/mapping.ts';
import type { Action, ResultCheck, ResultKind } from '../model/actions.ts';
import type { JobResult } from '../model/job-result.ts';
import type { OptionName } from '../model/option-kinds.ts';
import type { CliOptionValues } from '../model/options.ts';
import type { RunResult } from '../system/run.ts';
import type { RuntimesDriver } from './runtimes-driver.ts';
import type { LabEntries, LabEntry, StatusDriver } from './status-driver.ts';
import type { LabNeeds } from './lab-needs.ts';
import type { TestsDriver } from './tests-driver.ts';
import type { TopologyDriver } from './topology-driver.ts';
import type { NodeDriver } from './node-driver.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The program that does the work. */
export interface LabProgram {
  /** Its usual name: `netlab`. */
  readonly name: string;
  /** Absolute path of the program. */
  readonly file: string;
  /** Directories whose programs the lab CLI calls by name; those that are not on its PATH already go first on it. */
  readonly binDirs: readonly string[];
  /** The directory of the interpreter that has to run it; before everything else on its PATH. */
  readonly interpreterDir?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** A lab CLI that is on this machine: its program, and the driver that knows its language. */
export interface LabCli extends LabProgram {
  readonly driver: LabDriver;
}

/** The task of a job. */
export interface LabCommand {
  readonly action: Action;
  /** Those that the action takes. */
  readonly options: CliOptionValues;
  /** Absolute; undefined for an action that reads none. */
  readonly topologyFile: string | undefined;
  /** The name for the lab; undefined if the topology or its directory gives the name. */
  readonly labName: string | undefined;
  /** The id of its lab; null if unknown. */
  readonly instance: string | null;
  /** The result of `TopologyFiles.fileOf`. */
  readonly labFile: string | undefined;
  /** Whether the status listed the lab when the command was asked for. */
  readonly isListed: boolean;
}

/** An action that is asked for, on a lab that may be there. */
export interface LabAsked extends Pick<LabCommand, 'action' | 'instance'> {
  /** Real path. */
  readonly workdir: string;
  /** The names of the other lab CLIs of the service: a request may be for one of them (`cli`). Absent: it is alone. */
  readonly others?: readonly string[];
  readonly options: Pick<CliOptionValues, 'nodes' | 'provider'>;
  readonly topologyText?: string | undefined;
  /** Whether the lab in the directory is taken down before. */
  readonly replace?: boolean | undefined;
  /** The environment of the service, which the lab CLI gets. */
  readonly env: Environment;
  /** Runs the lab CLI to its end in that directory, to look at something; does not throw for a failure of the CLI. */
  readonly run: (args: readonly string[]) => Promise<RunResult>;
}

/** How a command ended that was not a success. */
export interface Ending {
  readonly action: Action;
  /** Real path of the directory where it ran. */
  readonly workdir: string;
  readonly cliName: string;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** The end of the job's log; a few KiB are enough. */
  readonly logTail: string;
  /** The result of its action, if it has one. */
  readonly result?: JobResult | null;
}

/** A command that was ended half-way, or failed. */
export interface UnfinishedRun {
  readonly action: Action;
  /** Where it ran. */
  readonly directory: string;
  readonly logEnd: string;
  /** Whether it was asked to print no progress. */
  readonly isQuiet: boolean;
  /**
   * The start of a job that starts a lab, in ms since 1970: a lab that existed before does not belong to this job and must
   * survive if another `up` is refused. Null for a job that changes an existing lab.
   */
  readonly beganMs: number | null;
}

/** A command that ended with exit code 0. */
export interface ClaimedSuccess {
  readonly workdir: string;
  /** The id of the lab; null if unknown. */
  readonly instance: string | null;
  readonly dryRun: boolean;
  /** Whether it was about some nodes of the lab only. */
  readonly ofSomeNodes: boolean;
  /** The options that it was given, by name. */
  readonly nodes: readonly string[];
  readonly logEnd: string;
  /** The directories of all instances from a new status; undefined if the status is unknown. */
  readonly instanceDirs: () => Promise<readonly string[] | undefined>;
  /** Runs a program of this machine that reports, or removes remains, to its end, for a few seconds at most. Never throws. */
  readonly look: (program: string, args: readonly string[]) => Promise<RunResult>;
}

/** A command that took a lab away. */
export interface LabDown
  extends Pick<ClaimedSuccess, 'instance' | 'logEnd' | 'look'>, Pick<LabAsked, 'env'>, ReadCommand {}

/** The parsed output of a command. */
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

/** How it ended: without an exit code if a signal ended it or the end was not observed. */
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

/** The summary of a topology for a list of templates. */
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
  /** The same names, for the error that none was found. */
  readonly places: readonly string[];
  /** Whether a file of this name may be a topology. */
  readonly isName: (name: string) => boolean;
  /** A file of such a name is for this lab CLI, whatever others make of it. */
  readonly areOwnNames?: true;
  /** Whether the lab CLI itself made a file of this name with this content. Absent: it makes none of such names. */
  readonly isMade?: (name: string, document: Mapping) => boolean;
  /** Never throws: what it does not understand it leaves out. */
  readonly summarize: (topology: Mapping) => TopologySummary;
  /** Sentences: what this machine lacks to run it. `has` tells whether a program is on the PATH of the lab CLI. */
  readonly missing: (
    summary: Pick<TopologySummary, 'provider'>,
    has: (program: string) => boolean,
  ) => readonly string[];
  /** The name for a lab whose topology lies outside of `workdir` and has none. Absent if a topology must have one. */
  readonly labNameFrom?: (workdir: string) => Promise<string>;
  /** The topology of a lab that is there; undefined when it is gone, or not known. Absent when no command needs it. */
  readonly fileOf?: (lab: {
    readonly instance: string;
    readonly workdir: string;
    /** Undefined for a lab that the status does not list. */
    readonly entry: LabEntry | undefined;
    /** The command of its `up` on record. */
    readonly startedBy?: readonly string[] | undefined;
  }) => Promise<string | undefined>;
  /** The name of the lab of a directory by its files, which no status may list yet. Absent: the lab CLI finds it. Never rejects. */
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

/** The files of a lab CLI. */
interface FilesDriver {
  /**
   * The entries of all labs by their ids, as it has them on record now and as its status tells them, without a run of it.
   * Each has a directory. Absent when it keeps no record: what its status told last counts then.
   * A long record is read beside the event loop; with `mayBeOld`, the labs from before its last change are given meanwhile.
   * @throws Error when its record cannot be read, or is being read.
   */
  readonly recordedLabs?: (env: Environment, mayBeOld?: boolean) => LabEntries;
  /** Await it before `recordedLabs`, which knows the record then. Absent when a record is always known. Never rejects. */
  readonly seeRecordedLabs?: (env: Environment) => Promise<void>;
  /** The files that an action makes in its working directory for the user. Never throws. */
  readonly madeBy: (action: Action, options: CliOptionValues) => readonly MadeFiles[];
}

export interface LabDriver {
  /** Its name in LAB_API_CLI. */
  readonly name: string;
  /** Whether its program comes with ours, and can run in a process of ours. */
  readonly isBundled: boolean;
  /** Its program as it is on this machine now; undefined when it is not there. */
  readonly find: (env: Environment) => LabProgram | undefined;
  /** Whether a program that LAB_API_CLI gives by another name, or by its path, is of this kind. */
  readonly recognizes: (file: string) => boolean;
  /** Programs that come before others of their names on its PATH, also before its own. Absent: none. */
  readonly standIns?: (env: Environment, program: LabProgram) => Partial<LabProgram> | undefined;
  /** Where it runs containers. Absent: its nodes are no containers. */
  readonly runtimes?: RuntimesDriver;
  /** The arguments with which it tells its version. */
  readonly versionArguments: readonly string[];
  readonly needs: LabNeeds;
  /** The options that it takes, besides `instance`, of those that an action has. */
  readonly options: Readonly<Record<Action, readonly OptionName[]>>;
  /** The arguments of a command, program excluded. */
  readonly commandArguments: (command: LabCommand) => readonly string[];
  /** The paths of other programs, for actions that the lab CLI itself does not have. Absent: there are no such actions. */
  readonly programs?: Readonly<Partial<Record<Action, string>>>;
  /** The words of an action that come before all other arguments: `deploy`. Absent: the name of the action. */
  readonly words?: Readonly<Partial<Record<Action, readonly string[]>>>;
  /** Further variables of the environment of its jobs; `workdir` is a real path. Absent: none. */
  readonly jobEnvironment?: (workdir: string) => Readonly<Record<string, string>>;
  /** @throws AppError `invalid-request` about a value that it must not be given. `workdir` is a real path. */
  readonly checkOptions: (options: CliOptionValues, workdir: string) => Promise<void>;
  /** Gives variables without which the command would do something else. @throws AppError `invalid-request`, `topology-not-found`. */
  readonly checkLab?: (asked: LabAsked) => Promise<Readonly<Record<string, string>> | void>;
  /** Whether two labs of a machine cannot have the same name in two directories. Absent: directories identify labs. */
  readonly hasOneLabOfAName?: true;
  /** Whether `down` with an instance stops a lab whose directory is gone. Absent: it reads the lab from there. */
  readonly stopsWithoutDirectory?: true;
  readonly topologies: TopologyFiles;
  /**
   * The name that the status will give the lab of a topology; null if unknown. `topologyText` is undefined if the file is too
   * large or gone. Never throws: it ignores parts that it cannot parse.
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
  /** Removes what surely nothing uses of a removed lab or removed nodes; the other remains, as sentences. Absent: none. */
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
  /** The file or directory that changes when a lab is started or stopped, also outside of the service. */
  readonly stateFile: (env: Environment) => string;
  /** The directory of its own state, which all services on this machine share that use it. */
  readonly stateDirectory: (env: Environment) => string;
  /** How it tells of changes while they happen; absent when it does not. */
  readonly watch?: WatchDriver;
}
