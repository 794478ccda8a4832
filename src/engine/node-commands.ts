/** The commands that lead into a node: `exec`, `connect` and `capture`. */
import type { Command, Option } from 'commander';
import type { EngineContext } from './core/engine-context.ts';

/** Runs the task where the nodes are, and ends the program with its exit code. */
type Run = (command: string, task: (context: EngineContext) => Promise<number>) => Promise<void>;

interface Flags {
  readonly instance?: string;
}

/** What follows a node; a `--` in front of it is not part of it. */
const behind = (words: readonly string[]): readonly string[] => (words[0] === '--' ? words.slice(1) : words);

function addExec(command: Command, run: Run): void {
  command
    .description('run a command in a node: lab exec h1 ping -c1 h2')
    .argument('<node>')
    .argument('<command...>', 'the command; options of exec itself go before the node')
    .action(async (node: string, words: string[], flags: Flags, self: Command) => {
      const given = behind(words);
      if (given.length === 0) self.error("error: missing required argument 'command'");
      if (words[0] === given[0] && words[0]?.startsWith('-') === true)
        self.error(`error: ${words[0]} goes before the node, as options of exec do`);
      const { execCommand } = await import('./commands/exec.ts');
      await run('exec', (context) => execCommand(context, { node, command: given, ...flags }));
    });
}

function addConnect(command: Command, run: Run): void {
  command
    .description('a shell in a node, or a command in place of it: lab connect h1')
    .argument('<node>')
    .argument('[command...]', 'in place of the shell; options of connect itself go before the node')
    .action(async (node: string, words: string[], flags: Flags) => {
      const { connectCommand } = await import('./commands/connect.ts');
      await run('connect', (context) => connectCommand(context, { node, command: behind(words), ...flags }));
    });
}

function addCapture(command: Command, run: Run): void {
  command
    .description('tcpdump on an interface of a node: lab capture h1 eth1 -w - | wireshark -k -i -')
    .argument('<node>')
    .argument('<interface>')
    .argument('[arguments...]', 'for tcpdump; options of capture itself go before the node')
    .action(async (node: string, ifname: string, args: string[], flags: Flags) => {
      const { captureCommand } = await import('./commands/capture.ts');
      await run('capture', (context) => captureCommand(context, { node, ifname, args, ...flags }));
    });
}

export function addNodeCommands(program: Command, instanceOption: () => Option, run: Run): void {
  const commands = { exec: addExec, connect: addConnect, capture: addCapture };
  for (const [name, describe] of Object.entries(commands))
    describe(program.command(name).passThroughOptions().addOption(instanceOption()), run);
}
