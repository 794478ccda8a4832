import type { Config, Environment } from '../config/config.ts';
import type { Flags } from '../config/settings.ts';
import { ConfigError, meantVariable, readSettings, unknownVariables } from '../config/load-config.ts';
import { withSettingsFile } from '../config/settings-file.ts';
import { problemOfClis } from '../labs/drivers/drivers.ts';
import { messageOf } from '../lib/app-error.ts';
import {
  checkAudit,
  checkPassword,
  checkProvider,
  checkRoots,
  checkSecretFiles,
  checkUsers,
} from './access.ts';
import { checkClock } from './clock.ts';
import { checkHosts, checkOwnUrl, checkRedis } from './cluster.ts';
import { checkDataDir, checkDisk } from './data-dir.ts';
import { failed, ok, warning, type Finding, type Subject } from './finding.ts';
import { checkJobUser } from './job-user.ts';
import { checkKernel } from './kernel.ts';
import { checkDocker, checkLabCli, checkProviders } from './lab-cli.ts';
import { checkPort } from './port.ts';
import { checkPrivileges, checkPrograms } from './privileges.ts';
import { checkRuntime } from './runtime.ts';
import { checkScenarios } from './scenarios.ts';
import { checkTls } from './tls.ts';
import { checkUnit } from './unit.ts';

export interface Report {
  readonly name: string;
  readonly finding: Finding;
}

type Check = (subject: Subject) => Finding | Promise<Finding>;

/** Of each lab CLI. */
const cliChecks: readonly (readonly [string, Check])[] = [
  ['lab CLI', checkLabCli],
  ['runtime', (subject) => checkRuntime(subject)],
  ['providers', checkProviders],
  ['Docker', checkDocker],
  ['privileges', checkPrivileges],
  ['programs', checkPrograms],
  ['kernel', checkKernel],
];

/** In the order in which a reader wants to mend things. */
const checks: readonly (readonly [string, Check])[] = [
  ['scenarios', checkScenarios],
  ['job user', checkJobUser],
  ['data directory', checkDataDir],
  ['free disk', checkDisk],
  ['allowed roots', checkRoots],
  ['port', checkPort],
  ['password', checkPassword],
  ['users', checkUsers],
  ['identity provider', checkProvider],
  ['secret files', checkSecretFiles],
  ['audit', checkAudit],
  ['TLS', (subject) => checkTls(subject)],
  ['Redis', checkRedis],
  ['other hosts', checkHosts],
  ['own address', checkOwnUrl],
  ['systemd unit', (subject) => checkUnit(subject)],
  ['clock', (subject) => checkClock(subject)],
];

async function perform(name: string, check: () => Finding | Promise<Finding>): Promise<Report> {
  try {
    return { name, finding: await check() };
  } catch (error) {
    const detail = `this check failed unexpectedly: ${messageOf(error)}`;
    return { name, finding: failed(detail, 'please report it; the other checks are valid') };
  }
}

type Loaded =
  | { readonly kind: 'config'; readonly config: Config; readonly env: Environment }
  | { readonly kind: 'problems'; readonly problems: readonly string[] };

function load(env: Subject['env'], flags: Flags): Loaded {
  try {
    const { config, env: all } = readSettings(env, flags);
    const problem = problemOfClis([config.cli, ...config.moreClis]);
    return problem === undefined
      ? { kind: 'config', config, env: all }
      : { kind: 'problems', problems: [`LAB_API_CLIS: ${problem}`] };
  } catch (error) {
    if (error instanceof ConfigError) return { kind: 'problems', problems: error.problems };
    throw error;
  }
}

/** With several, each has findings of its own, with its name. */
function ofEachCli(subject: Subject): { name: string; check: Check; subject: Subject }[] {
  const { config } = subject;
  return [config.cli, ...config.moreClis].flatMap((cli) =>
    cliChecks.map(([name, check]) => ({
      name: config.moreClis.length === 0 ? name : `${name} (${cli})`,
      check,
      subject: { ...subject, config: { ...config, cli } },
    })),
  );
}

function unknownNames(env: Subject['env']): Finding[] {
  return unknownVariables(env).map((variable) => {
    const meant = meantVariable(variable);
    const remedy =
      meant === undefined ? 'correct its name: .env.example lists all' : `did you mean ${meant}?`;
    return warning(`${variable} is not known and has no effect`, remedy);
  });
}

function remedyFor(problem: string): string {
  return /\bEACCES\b/.test(problem)
    ? 'run lab doctor as the user of the service; if it is, let that user read the file (chown, chmod)'
    : 'correct it: .env.example lists every setting';
}

/**
 * Looks at this machine as the service would find it with these variables and flags. The checks run side by side; one
 * that breaks is itself a finding. With a wrong configuration, the other checks do not run.
 */
export async function diagnose(env: Subject['env'], flags: Flags): Promise<Report[]> {
  const ofConfiguration = (findings: readonly Finding[]): Report[] =>
    findings.map((finding) => ({ name: 'configuration', finding }));
  const loaded = load(env, flags);
  const { env: all, warnings } = withSettingsFile(env);
  const doubtful = [
    ...warnings.map((sentence) => warning(sentence, 'remove the line that is not meant')),
    ...unknownNames(all),
  ];
  if (loaded.kind === 'problems') {
    const problems = loaded.problems.map((problem) => failed(problem, remedyFor(problem)));
    return ofConfiguration([...problems, ...doubtful]);
  }
  const subject = { config: loaded.config, env: loaded.env };
  const due = [...ofEachCli(subject), ...checks.map(([name, check]) => ({ name, check, subject }))];
  const reports = await Promise.all(
    due.map(async ({ name, check, subject: seen }) => perform(name, () => check(seen))),
  );
  return [...ofConfiguration(doubtful.length > 0 ? doubtful : [ok('all values are valid')]), ...reports];
}
