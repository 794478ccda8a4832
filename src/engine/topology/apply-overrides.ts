/** Applies the options of the command line (`--device`, `--provider`, `--plugin`, `--set`) to a topology. */
import { isMapping, type Reading } from './source.ts';

/** The options of the command line that change a topology. */
export interface TopologyOverrides {
  readonly device?: string;
  readonly provider?: string;
  readonly plugins: readonly string[];
  /** `--set name=x`, `--set defaults.multilab.id=7`, `--set nodes.r1.role=router`, … */
  readonly settings: readonly string[];
}

/** Parses the value of `--set` as netlab does: a whole number, true, false, or else text. */
function settingValue(text: string): unknown {
  if (/^[+-]?[0-9]{1,15}$/.test(text)) return Number(text);
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

/** Sets the value at `key`, where dots separate nested maps; creates missing maps. */
function set({ source, findings }: Reading, key: string, value: { value: unknown; option: string }): void {
  const path = key.split('.');
  const last = path.pop() ?? '';
  if (last === '' || path.includes('')) {
    findings.error(value.option, `"${key}" is not a setting: name the attribute, as in name=lab1`);
    return;
  }
  const origin = { key: value.option, value: value.option };
  let map = source.root;
  for (const part of path) {
    // An empty value in the file (a node without attributes) becomes a map, as in netlab.
    const inner = map[part] ?? source.mapping();
    if (!isMapping(inner)) {
      findings.error(value.option, `"${part}" is not a map in the topology: a setting cannot change it`);
      return;
    }
    if (map[part] !== inner) source.put(map, part, inner, origin);
    map = inner;
  }
  source.put(map, last, value.value, origin);
}

/** Applies the options to the topology; the last option wins. */
export function applyOverrides(reading: Reading, overrides: TopologyOverrides): void {
  const { source, findings } = reading;
  const { device, provider, plugins, settings } = overrides;
  if (device !== undefined) set(reading, 'defaults.device', { value: device, option: `--device ${device}` });
  if (provider !== undefined)
    set(reading, 'provider', { value: provider.split(':')[0], option: `--provider ${provider}` });
  for (const plugin of plugins) {
    const present = source.root['plugin'] ?? [];
    const list: unknown[] = Array.isArray(present) ? present : [present];
    set(reading, 'plugin', { value: [...list, plugin], option: `--plugin ${plugin}` });
  }
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    const option = `--set ${setting}`;
    if (equals < 1) findings.error(option, 'a setting has the form name=value');
    else {
      const value = settingValue(setting.slice(equals + 1));
      set(reading, setting.slice(0, equals), { value, option });
    }
  }
}
