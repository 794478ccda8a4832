/** What shells offer after Tab, asked of the shells themselves. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { requirement } from '../support/requirements.ts';
import { builtProgram } from '../support/service.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const directory = temporaryDirectory();
const scriptOf = (shell: string): string => path.join(directory, `completion.${shell}`);

beforeAll(() => {
  for (const shell of ['bash', 'zsh']) {
    writeFileSync(scriptOf(shell), execFileSync(process.execPath, [builtProgram, 'completion', shell]));
  }
  for (const name of ['one.yml', 'two.yml']) writeFileSync(path.join(directory, name), '');
});

interface Question {
  readonly line: string;
  readonly offered: readonly string[];
  readonly absent: readonly string[];
}

/** What a command line can go on with. The expectations hold for every shell. */
const questions: readonly Question[] = [
  {
    line: 'lab ',
    offered: ['api', 'doctor', 'completion', 'up', 'down', 'exec', '--version', '--help'],
    absent: ['--port'],
  },
  { line: 'lab co', offered: ['collect', 'completion'], absent: ['api', 'up'] },
  { line: 'lab api --da', offered: ['--data-dir'], absent: ['--bind'] },
  {
    line: 'lab api --',
    offered: ['--bind', '--port', '--tls-cert', '--on-shutdown', '--help'],
    absent: ['--version'],
  },
  { line: 'lab api --on-shutdown ', offered: ['leave', 'cancel'], absent: ['--bind'] },
  { line: 'lab doctor --', offered: ['--json', '--settings', '--data-dir'], absent: ['--on-shutdown'] },
  { line: 'lab up --', offered: ['--dry-run', '--plugin', '--snapshot'], absent: ['--cleanup'] },
  { line: 'lab down --', offered: ['--cleanup', '--force'], absent: ['--plugin'] },
  { line: 'lab status --format ', offered: ['text', 'json', 'yaml'], absent: ['--all'] },
  { line: 'lab pu', offered: ['push', 'pull'], absent: ['up'] },
  { line: 'lab pull --', offered: ['--workspace', '--server'], absent: ['--cleanup'] },
  { line: 'lab completion ', offered: ['bash', 'zsh'], absent: ['fish'] },
  { line: 'lab user ', offered: ['add', 'list', 'passwd', 'role', 'remove'], absent: ['one.yml', 'help'] },
  { line: 'lab token create --', offered: ['--user', '--expires', '--file'], absent: ['--workdir'] },
  { line: 'lab user add --role ', offered: ['viewer', 'operator', 'admin'], absent: ['--role'] },
  { line: 'lab help d', offered: ['down', 'doctor'], absent: ['up'] },
  { line: 'lab up ', offered: ['one.yml', 'two.yml'], absent: ['--plugin'] },
];

/** bash(1): the words are in COMP_WORDS; with `-o default`, nothing offered means files. */
const askBash = `
source "$1"
line=$2
read -ra COMP_WORDS <<<"$line"
[[ $line == *' ' ]] && COMP_WORDS+=('')
COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
_lab
if ((\${#COMPREPLY[@]})); then printf '%s\\n' "\${COMPREPLY[@]}"; else compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"; fi
complete -p lab | grep -q -- '-o default' || exit 3
`;

const bash = requirement('bash');
(bash.missing === undefined ? describe : describe.skip)(`bash ${bash.missing ?? ''}`, () => {
  test.each(questions)('$line', ({ line, offered, absent }) => {
    const output = execFileSync(bash.file, ['-c', askBash, 'bash', scriptOf('bash'), line], {
      cwd: directory,
      encoding: 'utf8',
    });
    const words = output.split('\n');
    expect(words).toEqual(expect.arrayContaining([...offered]));
    for (const word of absent) expect(words).not.toContain(word);
  });
});

/**
 * An interactive zsh on a terminal of its own (zshmodules(1), zpty): types the line and a Tab, and prints the list. It waits for the word $3 before it types on: zsh shows no list while there is something more to read.
 */
const askZsh = `
zmodload zsh/zpty
zpty shell "PS1= PROMPT= zsh -f -i"
enter() { zpty -w shell "$1" }
enter 'unsetopt zle_bracketed_paste prompt_cr prompt_sp; unset zle_bracketed_paste; COLUMNS=200 LINES=200 LISTMAX=0 PS1='
enter 'autoload -Uz compinit && compinit -D -u'
enter "source \${(q)1}"
enter 'zstyle ":completion:*" verbose no; zstyle ":completion:*" menu no; setopt auto_list no_list_beep; bindkey "^I" list-choices'
enter 'print re''ady'
zpty -r shell before '*ready*'
zpty -w -n shell "$2"$'\\t'
zpty -r shell first "*$3*"
zpty -w -n shell $'\\x15print do''ne\\n'
zpty -r shell rest '*done*'
print -r -- $first$rest
zpty -d shell
`;

const zsh = requirement('zsh');
(zsh.missing === undefined ? describe : describe.skip)(`zsh ${zsh.missing ?? ''}`, () => {
  test.each(questions)('$line', ({ line, offered, absent }) => {
    const output = execFileSync(zsh.file, ['-f', '-c', askZsh, 'zsh', scriptOf('zsh'), line, offered[0]!], {
      cwd: directory,
      encoding: 'utf8',
      timeout: 30_000,
    });
    // The line itself comes back as well.
    const words = stripVTControlCharacters(output)
      .replaceAll(line.trim(), ' ')
      .split(/[^\w.-]+/);
    expect(words).toEqual(expect.arrayContaining([...offered]));
    for (const word of absent) expect(words).not.toContain(word);
  });
});

test('every shell script is sound: an unknown shell is refused with what there is', () => {
  const refused = (): Buffer =>
    execFileSync(process.execPath, [builtProgram, 'completion', 'fish'], { stdio: 'pipe' });
  expect(refused).toThrow(/Allowed choices are bash, zsh/);
});
