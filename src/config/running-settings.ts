import type { Config, Environment } from './config.ts';
import { readSettings } from './load-config.ts';
import {
  liveSettings,
  privateVariables,
  settingNames,
  settingOf,
  settings,
  type Flags,
  type LiveSettings,
  type SettingName,
} from './settings.ts';

/** The effect of a reload. */
export interface SettingsChange {
  /** LAB_API_SETTINGS_FILE; null without one, and then nothing changes. */
  readonly file: string | null;
  /** The settings that have changed. Null for the default. */
  readonly changed: readonly {
    readonly variable: string;
    readonly before: string | null;
    readonly after: string | null;
  }[];
  /** Variables that differ from those of the start, and that only a restart changes. */
  readonly needsRestart: readonly string[];
  /** Sentences. */
  readonly warnings: readonly string[];
}

interface SettingsHooks {
  /** Checks what the table of settings does not know. @throws ConfigError */
  readonly check?: (config: Config, env: Environment) => void;
  /** Returns sentences about settings that have no effect, or an effect that is hardly wanted. */
  readonly warningsAbout?: (config: Config, env: Environment) => readonly string[];
  /** Called when the settings may have changed, for parts that cannot read them from `Config.live`. */
  readonly onReload?: (live: LiveSettings) => void;
}

interface Given {
  readonly env: Environment;
  readonly flags?: Flags | undefined;
}

type Texts = Readonly<Partial<Record<SettingName, string>>>;

const variableOf = (name: SettingName): string => settings[name].variable;
const isSetting = (variable: string): boolean => variable.startsWith('LAB_API_');

/**
 * The environment without what systemd has read from the settings file before the service did: a line that is removed from the file
 * must not live on there.
 */
function withoutFile(env: Environment, ofFile: Environment): Environment {
  const isOfFile = (name: string): boolean =>
    isSetting(name) && name !== variableOf('settingsFile') && ofFile[name] === env[name];
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOfFile(name)));
}

/** The service removes its secrets from `process.env`, and with a settings file, this is a copy: jobs must not find them there. */
function forParts(env: Environment, ofFile: Environment): Environment {
  if (Object.keys(ofFile).length === 0) return env;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !privateVariables.includes(name)));
}

/** The settings of a running service: checked at its start, and again at each reload. */
export class RunningSettings {
  /** The same object after a reload, which changes `live` in it. */
  readonly config: Config;
  /** The environment with the variables of the settings file, as they were at the start, without secrets. */
  readonly env: Environment;
  readonly warnings: readonly string[];
  readonly #own: Given;
  readonly #hooks: SettingsHooks;
  readonly #atStart: Texts;
  #texts: Texts;

  /** @throws ConfigError with every problem that was found. */
  constructor(given: Given, hooks: SettingsHooks = {}) {
    const { config, env, ofFile, texts, warnings } = readSettings(given.env, given.flags);
    hooks.check?.(config, env);
    [this.config, this.env] = [config, forParts(env, ofFile)];
    this.warnings = [...warnings, ...(hooks.warningsAbout?.(config, env) ?? [])];
    this.#own = { ...given, env: withoutFile(given.env, ofFile) };
    this.#hooks = hooks;
    this.#atStart = this.#texts = texts;
  }

  /**
   * Reads the settings file again, and changes the settings of `Config.live`.
   * @throws ConfigError with every problem that was found; then nothing has changed.
   */
  reload(): SettingsChange {
    const { config, env, texts, warnings } = readSettings(this.#own.env, this.#own.flags);
    this.#hooks.check?.(config, env);
    const before = this.#texts;
    const changed = liveSettings.filter((name) => texts[name] !== before[name]);
    const fixed = settingNames.filter((name) => settingOf(name).isLive !== true);
    const others = Object.keys({ ...this.env, ...env }).filter(
      (name) => !isSetting(name) && env[name] !== this.env[name],
    );
    // The parts of the service read them from this object when they need them.
    const live: { -readonly [Name in keyof LiveSettings]: LiveSettings[Name] } = this.config.live;
    Object.assign(live, config.live);
    this.#texts = texts;
    this.#hooks.onReload?.(live);
    return {
      file: texts.settingsFile ?? null,
      changed: changed.map((name) => ({
        variable: variableOf(name),
        before: before[name] ?? null,
        after: texts[name] ?? null,
      })),
      needsRestart: [
        ...fixed.filter((name) => texts[name] !== this.#atStart[name]).map(variableOf),
        ...others,
      ],
      warnings: [...warnings, ...(this.#hooks.warningsAbout?.(config, env) ?? [])],
    };
  }
}
