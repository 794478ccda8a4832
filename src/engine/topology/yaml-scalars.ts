/**
 * The meaning of a word without quotes. netlab reads topologies with PyYAML, a variant of YAML 1.1: `on` and `yes`
 * are booleans but `y` is a word, `010` is 8, `12:30` is 750, and `e1` and `1e2` are words. The forms are from PyYAML
 * 6.0 (`yaml/resolver.py`), in the same order.
 */
import type { ScalarTag, Tags } from 'yaml';

function scalar(name: string, test: RegExp, resolve: ScalarTag['resolve']): ScalarTag {
  return { tag: `tag:yaml.org,2002:${name}`, default: true, test, resolve };
}

/** `190:20:30`: numbers of base 60. */
function sexagesimal(digits: string): number {
  return digits.split(':').reduce((value, part) => value * 60 + Number(part), 0);
}

function digitsOf(text: string): { readonly sign: number; readonly digits: string } {
  const digits = text.replaceAll('_', '').toLowerCase();
  return { sign: digits.startsWith('-') ? -1 : 1, digits: digits.replace(/^[-+]/, '') };
}

function integerOf(text: string): number {
  const { sign, digits } = digitsOf(text);
  // JavaScript supports `0b` and `0x`, and writes the leading zero of octal numbers as `0o`.
  const plain = digits.replace(/^0(?=[0-7])/, '0o');
  return sign * (digits.includes(':') ? sexagesimal(digits) : Number(plain));
}

function floatOf(text: string): number {
  const { sign, digits } = digitsOf(text);
  if (digits === '.inf') return sign * Infinity;
  if (digits === '.nan') return NaN;
  return sign * (digits.includes(':') ? sexagesimal(digits) : Number(digits));
}

const scalars: readonly ScalarTag[] = [
  scalar('bool', /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/, () => true),
  scalar('bool', /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/, () => false),
  scalar(
    'float',
    /^(?:[-+]?[0-9][0-9_]*\.[0-9_]*(?:[eE][-+][0-9]+)?|\.[0-9][0-9_]*(?:[eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/,
    floatOf,
  ),
  scalar(
    'int',
    /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(?::[0-5]?[0-9])+)$/,
    integerOf,
  ),
];

const replaced = new Set(['bool', 'int', 'float'].map((name) => `tag:yaml.org,2002:${name}`));

/** The tags of the parser, with netlab's booleans and numbers in place of its own. */
export function withNetlabScalars(tags: Tags): Tags {
  return [...tags.filter((tag) => typeof tag === 'string' || !replaced.has(tag.tag)), ...scalars];
}

const plainNumbers: readonly ScalarTag[] = [
  scalar('bool', /^(?:true|false)$/, (text) => text === 'true'),
  scalar('int', /^(?:0|-?[1-9][0-9]{0,14})$/, Number),
  scalar('float', /^-?(?:0|[1-9][0-9]{0,9})\.[0-9]{0,4}[1-9]$/, Number),
];

/**
 * For containerlab, which takes most values as they are written: only numbers that print the same again are numbers, unlike
 * `1.10`, `0600` and `2222:22`.
 */
export function withContainerlabScalars(tags: Tags): Tags {
  const others = new Set([...replaced, 'tag:yaml.org,2002:timestamp']);
  return [...tags.filter((tag) => typeof tag === 'string' || !others.has(tag.tag)), ...plainNumbers];
}
