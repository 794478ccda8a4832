/** The commands that work inside a node: `exec`, `connect` and `capture`. */
import type { Command } from 'commander';
import { instanceOption, perform, type EngineInvocation, type Finish } from './perform.ts';

/** The words after a node, without a leading `--`. */
const behind = (words: readonly string[]): readonly string[] => (words[0] === '--' ? words.slice(1) : words);

interface ExecFlags {
  header?: boolean;
  instance?: string;
}

function addExec(program: Command, invocation: EngineInvocation, finish: Finish): void {
  program
    .command('exec')
    .description('run a command in a node: lab exec h1 ping -c1 h2')
    .argument('<nodes>', 'one node, or several: h1,h2 or r* or all')
    .argument('<command...>', 'the command; options of exec itself go before the node')
    .passThroughOptions()
    .option('--header', 'print the name of each node, and the exit code of the command')
    .addOption(instanceOption())
    .action(async (node: string, words: string[], given: ExecFlags, self: Command) => {
      const { header = false, ...flags } = given;
      const command = behind(words);
      if (command.length === 0) self.error("error: missing required argument 'command'");
      if (words[0] === command[0] && words[0]?.startsWith('-') === true)
        self.error(`error: options of exec, such as ${words[0]}, go before the node`);
      if (header || /[,*?[]|^all$/i.test(node)) {
        const { execNodesCommand } = await import('./commands/exec-nodes.ts');
        const options = { nodes: node, command, ...flags };
        return finish(
          await perform(invocation, 'exec', 'see', (context) => execNodesCommand(context, options)),
        );
      }
      const { execCommand } = await import('./commands/exec.ts');
      finish(
        await perform(invocation, 'exec', 'see', (context) =>
          execCommand(context, { node, command, ...flags }),
        ),
      );
    });
}

interface Flags {
  readonly instance?: string;
}

function addConnect(program: Command, invocation: EngineInvocation, finish: Finish): void {
  program
    .command('connect')
    .description('open a shell in a node, or run a command there: lab connect h1')
    .argument('<node>')
    .argument(
      '[command...]',
      'a command to run instead of a shell; options of connect itself go before the node',
    )
    .passThroughOptions()
    .addOption(instanceOption())
    .action(async (node: string, words: string[], flags: Flags) => {
      const { connectCommand } = await import('./commands/exec.ts');
      const options = { node, command: behind(words), ...flags };
      finish(await perform(invocation, 'connect', 'see', (context) => connectCommand(context, options)));
    });
}

function addCapture(program: Command, invocation: EngineInvocation, finish: Finish): void {
  program
    .command('capture')
    .description('run tcpdump on an interface of a node: lab capture h1 eth1 -w - | wireshark -k -i -')
    .argument('<node>')
    .argument('<interface>')
    .argument('[arguments...]', 'arguments of tcpdump; options of capture itself go before the node')
    .passThroughOptions()
    .addOption(instanceOption())
    .action(async (node: string, ifname: string, args: string[], flags: Flags) => {
      const { captureCommand } = await import('./commands/exec.ts');
      const options = { node, ifname, args, ...flags };
      finish(await perform(invocation, 'capture', 'see', (context) => captureCommand(context, options)));
    });
}

export function addNodeCommands(program: Command, invocation: EngineInvocation, finish: Finish): void {
  for (const add of [addExec, addConnect, addCapture]) add(program, invocation, finish);
}
