/** The fields of nodes, links and their ends, for each language of topologies. */
import type { Drawing, Keys } from '../../../parts/drawing/drawing.ts';
import { modulesOf } from './field-values.ts';
import {
  asNumber,
  endAddress,
  interfaceName,
  line,
  linkPrefix,
  loopback,
  wholeNumber,
  word,
  type TextForm,
} from './text-forms.ts';

/** The engine reads a part of netlab's format. */
export type Language = 'netlab' | 'engine' | 'containerlab';

type Control =
  /** `words` are offered, and others can be typed. */
  | { readonly kind: 'text'; readonly form: TextForm; readonly words?: readonly string[] }
  | { readonly kind: 'device' }
  | { readonly kind: 'choice'; readonly choices: readonly string[] }
  | { readonly kind: 'modules' }
  /** One in each line. */
  | { readonly kind: 'lines' };

export interface FormField {
  readonly of: 'node' | 'link' | 'end';
  readonly languages: readonly Language[];
  readonly keys: Keys;
  readonly label: string;
  readonly control: Control;
  readonly placeholder?: string;
  readonly help?: string;
  /** The entries of a map that the field shows. */
  readonly parts?: readonly string[];
  /** Shown where this module is used. */
  readonly module?: string;
  /** Whether the form of several nodes has it. */
  readonly isForMany?: boolean;
  /** Not beside another field. */
  readonly isWide?: boolean;
}

const both = ['netlab', 'engine'] as const;
const families = ['ipv4', 'ipv6'] as const;
const choice = (...choices: readonly string[]): Control => ({ kind: 'choice', choices });
const text = (form: TextForm, ...words: readonly string[]): Control =>
  words.length === 0 ? { kind: 'text', form } : { kind: 'text', form, words };

/** In the order of the form. */
const fields: readonly FormField[] = [
  {
    of: 'node',
    languages: both,
    keys: ['device'],
    label: 'Device',
    control: { kind: 'device' },
    isForMany: true,
  },
  {
    of: 'node',
    languages: ['containerlab'],
    keys: ['kind'],
    label: 'Kind',
    control: { kind: 'device' },
    isForMany: true,
  },
  {
    of: 'node',
    languages: ['netlab', 'containerlab'],
    keys: ['image'],
    label: 'Image',
    control: text(word),
    placeholder: 'default',
  },
  {
    of: 'node',
    languages: ['containerlab'],
    keys: ['type'],
    label: 'Type',
    control: text(word),
    placeholder: 'such as ixr-d3l',
  },
  {
    of: 'node',
    languages: ['netlab'],
    keys: ['role'],
    label: 'Role',
    control: choice('router', 'host', 'bridge', 'gateway'),
  },
  {
    of: 'node',
    languages: ['engine'],
    keys: ['role'],
    label: 'Role',
    control: choice('router', 'host', 'gateway'),
  },
  {
    of: 'node',
    languages: both,
    keys: ['loopback'],
    label: 'Loopback',
    control: text(loopback, 'yes', 'no'),
    parts: families,
    placeholder: 'default',
    help: 'yes, no, or its addresses, such as 10.0.0.1/32',
  },
  {
    of: 'node',
    languages: ['netlab'],
    keys: ['module'],
    label: 'Modules',
    control: { kind: 'modules' },
  },
  {
    of: 'node',
    languages: ['netlab'],
    keys: ['bgp', 'as'],
    label: 'AS number',
    control: text(asNumber),
    module: 'bgp',
  },
  {
    of: 'node',
    languages: ['containerlab'],
    keys: ['group'],
    label: 'Group',
    control: text(word),
    placeholder: 'none',
    isForMany: true,
  },
  {
    of: 'node',
    languages: ['containerlab'],
    keys: ['startup-config'],
    label: 'Startup configuration',
    control: text(line),
    placeholder: 'the path of a file',
  },
  {
    of: 'node',
    languages: ['containerlab'],
    keys: ['exec'],
    label: 'Commands after the start',
    control: { kind: 'lines' },
    placeholder: 'one in each line',
  },
  {
    of: 'link',
    languages: both,
    keys: ['prefix'],
    label: 'Prefix',
    control: text(linkPrefix, 'none'),
    parts: families,
    placeholder: 'from the address pool',
    help: 'IPv4, IPv6 or both, such as 10.1.0.0/24, 2001:db8:1::/64',
  },
  {
    of: 'link',
    languages: ['netlab'],
    keys: ['type'],
    label: 'Type',
    control: choice('p2p', 'lan', 'stub', 'loopback', 'tunnel', 'vlan_member'),
  },
  {
    of: 'link',
    languages: ['engine'],
    keys: ['type'],
    label: 'Type',
    control: choice('p2p', 'lan', 'stub', 'loopback'),
  },
  {
    of: 'link',
    languages: both,
    keys: ['role'],
    label: 'Role',
    control: text(word),
    placeholder: 'none',
  },
  {
    of: 'link',
    languages: both,
    keys: ['mtu'],
    label: 'MTU',
    control: text(wholeNumber(64, 9216)),
    placeholder: 'default, in bytes',
  },
  {
    of: 'link',
    languages: ['containerlab'],
    keys: ['mtu'],
    label: 'MTU',
    control: text(wholeNumber(64, 65_535)),
    placeholder: '9500 bytes',
  },
  {
    of: 'link',
    languages: ['netlab'],
    keys: ['bandwidth'],
    label: 'Bandwidth',
    control: text(wholeNumber(1, 1_000_000_000)),
    placeholder: 'in kbps',
  },
  {
    of: 'end',
    languages: ['netlab'],
    keys: ['ifname'],
    label: 'Interface',
    isWide: true,
    control: text(interfaceName),
    placeholder: 'next free',
  },
  {
    of: 'end',
    languages: ['containerlab'],
    keys: ['interface'],
    label: 'Interface',
    isWide: true,
    control: text(interfaceName),
  },
  ...families.map((family): FormField => ({
    of: 'end',
    languages: both,
    keys: [family],
    label: family === 'ipv4' ? 'IPv4' : 'IPv6',
    control: text(endAddress(family), 'none', 'unnumbered'),
    placeholder: 'automatic',
  })),
];

function uses({ nodes }: Drawing, module: string): boolean {
  return nodes.some(
    ({ attributes }) => attributes[module] !== undefined || modulesOf(attributes)?.includes(module) === true,
  );
}

/** The fields of a form, in their order. */
export function fieldsOf(of: FormField['of'], language: Language, drawing: Drawing): readonly FormField[] {
  return fields.filter(
    (field) =>
      field.of === of &&
      field.languages.includes(language) &&
      (field.module === undefined || uses(drawing, field.module)),
  );
}
