import type { TopologyOverrides } from '../core/model.ts';
import type { Report } from './report.ts';
import { isMapping } from './source.ts';
import type { Source } from './source.ts';

/** As netlab reads the value of `--set`: a whole number, true, false, or else text. */
function settingValue(text: string): unknown {
  if (/^[+-]?[0-9]{1,15}$/.test(text)) return Number(text);
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  return text;
}

/** Puts `value` where `key` (with dots) says, and makes the maps on the way. */
function set(source: Source, report: Report, key: string, value: { value: unknown; option: string }): void {
  const path = key.split('.');
  const last = path.pop() ?? '';
  if (last === '' || path.includes('')) {
    report.error(value.option, `"${key}" is not a setting: name the attribute, as in name=lab1`);
    return;
  }
  const origin = { key: value.option, value: value.option };
  let map = source.root;
  for (const part of path) {
    // netlab too has nodes and links without data in the file.
    const inner = map[part] ?? source.mapping();
    if (!isMapping(inner)) {
      report.error(value.option, `"${part}" is not a map in the topology: a setting cannot change it`);
      return;
    }
    if (map[part] !== inner) source.put(map, part, inner, origin);
    map = inner;
  }
  source.put(map, last, value.value, origin);
}

/** Changes the topology as the options of the command line say; the last one wins. */
export function applyOverrides(source: Source, report: Report, overrides: TopologyOverrides): void {
  const { device, provider, plugins, settings } = overrides;
  if (device !== undefined)
    set(source, report, 'defaults.device', { value: device, option: `--device ${device}` });
  if (provider !== undefined)
    set(source, report, 'provider', { value: provider.split(':')[0], option: `--provider ${provider}` });
  for (const plugin of plugins) {
    const present = source.root['plugin'] ?? [];
    const list: unknown[] = Array.isArray(present) ? present : [present];
    set(source, report, 'plugin', { value: [...list, plugin], option: `--plugin ${plugin}` });
  }
  for (const setting of settings) {
    const equals = setting.indexOf('=');
    const option = `--set ${setting}`;
    if (equals < 1) report.error(option, 'a setting has the form name=value');
    else {
      const value = settingValue(setting.slice(equals + 1));
      set(source, report, setting.slice(0, equals), { value, option });
    }
  }
}
