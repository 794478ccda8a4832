/** Texts that are YAML, nearly YAML, or not at all: the same one for the same number. */

const keys =
  'a,b,nodes,links,defaults.device,x-y,x/y,1,01,true,null,toString,"q",<<,? k,a b,__proto__,1.5,0x1'.split(
    ',',
  );

const usual = [
  '',
  '',
  'a',
  'b c',
  '12',
  '10.0.0.1/24',
  'true',
  '"d e"',
  '[ a, b-c ]',
  '{ a: 1, b: [] }',
  '# c',
  'a # b',
  '|\n                  x\n',
];

/** A line each, in which ⏎ stands for the end of one and → for a tab. */
const values = String.raw`
# c
a
r1-r2
foo bar
foo  bar 
a:b
a: b
a#b
a #b
foo:
a,b
a]
1a
_x
/x
../x
..
12
0
007
1.5
1e3
0x1f
0o7
0b1
-1
+1
1_000
.5
.inf
.nan
NaN
10.0.0.1
10.0.0.1/24
2001:db8::1
::/0
12:30
2024-01-01
true
False
NULL
null
~
yes
"x y"
'x y'
"a\n"
'it''s'
"a" # c
[a, b]
[ a ]
[]
{}
{ a: 1 }
{a: b, c: [d, {e: 1}]}
[a: b]
{a}
{ a: }
[a,b,]
["b", 'c']
["a"b]
[a b]
[a]#c
[a] #c
{a: b}: c
{1: a, 01: b}
{ true: a }
[1, 02, 1.1.1.1, 1.5]
[[[a]]]
[a,⏎ b]
|
>
|-
| # c
|⏎   x⏎
|⏎  x⏎⏎   y # z⏎
*a
&a b
!t x
- a
? a
@a
%a
foo⏎ bar
a→b
::1
:a
:
1.50
007.5
1.
[65000:1, a:b]
{a:b}
{a:b: c}
[::1]
⏎                  [ a ]
⏎                  { a: b }
⏎ [ a ]
`
  .slice(1)
  .split('\n')
  .map((line) => line.replaceAll('⏎', '\n').replaceAll('→', '\t'));

const lines = ['', '# c', '  # d', '   ', '...', '---', '%YAML 1.1'];

/** Of a linear congruential generator. */
function numbersFrom(seed: number): (below: number) => number {
  let state = Math.imul(seed + 1, 2_654_435_761) >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export function writtenYaml(seed: number): string {
  const below = numbersFrom(seed);
  const one = (choices: readonly string[]): string => choices[below(choices.length)] ?? '';
  const key = (): string => (below(8) > 0 ? `k${below(5)}` : one(keys));
  const value = (): string => one(below(8) > 0 ? usual : values);
  let indent = 0;
  const written = Array.from({ length: below(8) + 1 }, () => {
    indent = [indent, indent, indent, indent, indent + 2, Math.max(0, indent - 2), below(5)][below(7)] ?? 0;
    const kinds = [
      () => `${key()}: ${value()}`,
      () => `${key()}:`,
      () => `- ${value()}`,
      () => `- ${key()}: ${value()}`,
      () => `${key()}:${one([' ', '  ', ''])}${one(values)}`,
      () => `-${one([' ', '  ', ''])}${one(values)}`,
    ];
    const kind = kinds[[0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6][below(14)] ?? 0];
    return kind === undefined ? one(lines) : `${' '.repeat(indent)}${kind()}`;
  });
  return `${one(['', '', '---\n', '# c\n'])}${written.join('\n')}${one(['', '\n'])}`;
}
