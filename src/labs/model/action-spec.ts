/** The facts about an action. */
import type { OptionName } from './option-kinds.ts';

/** The use of the lab instance that a request names. */
type InstanceUse =
  /** The lab CLI gets its name; the job runs in the directory of the request. */
  | 'by-name'
  /**
   * The job runs in the directory of its lab, which must be known, and the lab CLI gets its name too. When the status
   * is unknown, it runs in the directory that the request names.
   */
  | 'by-name-in-its-directory'
  /** The job runs in the directory of its lab, which must be known: the lab CLI would take any lab that it finds. */
  | 'in-its-directory';

export interface ActionSpec {
  /** The text in `lab --help`. */
  readonly description: string;
  /** Whether its jobs wait for each other in one working directory. One that changes nothing runs at any time. */
  readonly locksWorkdir: boolean;
  readonly needsTopology: boolean;
  /** Absent: a request cannot name an instance. */
  readonly instance?: InstanceUse;
  /** It makes the lab instance that its request describes: the user that asked for it is the owner. */
  readonly startsLab?: true;
  /** It starts the lab that is there anew, whose owner stays the same. */
  readonly restartsLab?: true;
  /** It takes the lab away, also one whose directory is gone if its lab CLI can. */
  readonly stopsLab?: true;
  /** It starts or stops nodes of the lab that is there, which stays a lab all the same. */
  readonly changesNodes?: true;
  /** Which options it takes, besides `instance`, with one lab CLI or another: a driver tells which of them its own takes. */
  readonly options: readonly Exclude<OptionName, 'instance'>[];
  /** Which of them a request must give. */
  readonly needs?: readonly OptionName[];
  /** The check of the driver after exit code 0, because that alone proves nothing. Absent: exit code 0 is a success. */
  readonly verifiedBy?: string;
  /** The manual steps after it was ended half-way. Absent: none. */
  readonly hintWhenHalfDone?: string;
  /** Whether it starts or stops labs, so that a part of one may be there when it was ended half-way. */
  readonly mayLeaveLab?: true;
  /** The request (without its directory) that takes away what it leaves when it is ended half-way: `onCancel` asks for it. */
  readonly cleanedUpBy?: { readonly action: string } & { readonly [Name in OptionName]?: true };
  /** A program of the service runs it, whichever lab CLI has the lab. */
  readonly isOfService?: true;
  /** The kind of result in its record. Absent: none. The driver reads it from the output. */
  readonly result?: 'tests' | 'outputs';
}
