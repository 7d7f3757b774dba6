import { quoted } from '../../contract/shell-word.ts';
import type { CommandContext } from './output.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { commandTree, type CommandFacts } from './usage-words.ts';

const SCRIPTS = { bash, zsh, fish };

/** `voxbatch completion SHELL`: prints a completion script. Where neither commands nor flags fit, it offers files. */
export function completion(
  shell: keyof typeof SCRIPTS,
  _: Flags,
  { output, program }: CommandContext,
): Promise<ExitName> {
  output.data(SCRIPTS[shell](program.name(), commandTree(program)));
  return Promise.resolve('complete');
}

/** Shell code for bash and zsh that follows the typed words to the command that they name, in `path`. */
function pathCases(commands: readonly CommandFacts[]): string[] {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  return [
    '    case "${path:+$path }$word" in',
    `      ${paths.map(quoted).join('|')}) path="\${path:+$path }$word" ;;`,
    '    esac',
  ];
}

/** Shell code for what may follow a flag with a value. `offer`: code that offers these choices, or files if none. */
function valueCases(commands: readonly CommandFacts[], offer: (words: readonly string[]) => string): string[] {
  return commands.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map(
        ({ words, choices }) => `    ${words.map((word) => quoted(`${path} ${word}`)).join('|')}) ${offer(choices)} ;;`,
      ),
  );
}

function bash(program: string, commands: readonly CommandFacts[]): string {
  const wordsOf = ({ next, flags }: CommandFacts): string =>
    [...next.map(({ word }) => word), ...flags.flatMap(({ words }) => words)].join(' ');
  return lines([
    `# ${program} completion for bash. Put this into ~/.bashrc:  eval "$(${program} completion bash)"`,
    `_${program}() {`,
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path="" word words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    ...pathCases(commands),
    '  done',
    '  case "$path $prev" in',
    ...valueCases(commands, (choices) => `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$cur")); return`),
    '  esac',
    '  case "$path" in',
    ...commands.map((command) => `    ${quoted(command.path)}) words=${quoted(wordsOf(command))} ;;`),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '}',
    `complete -o default -F _${program} ${program}`,
  ]);
}

function zsh(program: string, commands: readonly CommandFacts[]): string {
  const described = (word: string, description: string): string =>
    quoted(description === '' ? word : `${word}:${description}`);
  const wordsOf = ({ next, flags }: CommandFacts): string =>
    [
      ...next.map(({ word, description }) => described(word, description)),
      ...flags.flatMap(({ words, description }) => words.map((word) => described(word, description))),
    ].join(' ');
  return lines([
    `#compdef ${program}`,
    `# ${program} completion for zsh. Put this into ~/.zshrc, after compinit:  eval "$(${program} completion zsh)"`,
    `_${program}() {`,
    '  local prev="${words[CURRENT-1]}" path_="" word path',
    '  local -a offers',
    '  path=""',
    '  for word in "${(@)words[2,CURRENT-1]}"; do',
    ...pathCases(commands),
    '  done',
    '  case "$path $prev" in',
    ...valueCases(commands, (choices) =>
      choices.length === 0 ? '_files; return' : `compadd -- ${choices.map(quoted).join(' ')}; return`,
    ),
    '  esac',
    '  case "$path" in',
    ...commands.map((command) => `    ${quoted(command.path)}) offers=(${wordsOf(command)}) ;;`),
    '  esac',
    `  _describe ${program} offers || _files`,
    '}',
    `compdef _${program} ${program}`,
  ]);
}

function fish(program: string, commands: readonly CommandFacts[]): string {
  return lines([
    `# ${program} completion for fish. Put it into ~/.config/fish/completions/${program}.fish`,
    ...commands.flatMap((command) => {
      const at = `complete -c ${program} -n ${quoted(fishCondition(command))}`;
      const next = command.next.map(
        ({ word, description }) => `${at} -a ${quoted(word)}${description === '' ? '' : ` -d ${quoted(description)}`}`,
      );
      const flags = command.flags.map(({ words, takesValue, choices, description }) => {
        const names = words.map((word) => (word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`));
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : takesValue ? ' -r' : '';
        return `${at} ${names.join(' ')}${value} -d ${quoted(description)}`;
      });
      return [...next, ...flags];
    }),
  ]);
}

/** Returns fish's condition that the typed words name this command and none of its subcommands. */
function fishCondition({ path, next }: CommandFacts): string {
  if (path === '') return '__fish_use_subcommand';
  const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const deeper = next.length === 0 ? [] : [`not __fish_seen_subcommand_from ${next.map(({ word }) => word).join(' ')}`];
  return [...seen, ...deeper].join('; and ');
}

function lines(all: readonly string[]): string {
  return all.join('\n');
}
