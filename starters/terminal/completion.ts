import { quoted } from '../../contract/shell-word.ts';
import type { CommandContext } from './output.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { commandTree, KNOWN, type CommandFacts, type FlagFacts, type Known } from './usage-words.ts';

const SCRIPTS = { bash, zsh, fish };

/** `voxbatch completion SHELL`: a script made from the commands. If no word of ours fits, it offers file names. */
export function completion(
  shell: keyof typeof SCRIPTS,
  _: Flags,
  { output, program }: CommandContext,
): Promise<ExitName> {
  output.data(SCRIPTS[shell](program.name(), commandTree(program)));
  return Promise.resolve('complete');
}

/** Follows the typed words to the command they name; both bash and zsh read this. */
function pathCases(commands: readonly CommandFacts[]): string[] {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  return [
    '    case "${path:+$path }$word" in',
    `      ${paths.map(quoted).join('|')}) path="\${path:+$path }$word" ;;`,
    '    esac',
  ];
}

/** What may follow a flag that takes a value: its choices, names that are known, else a file. */
function valueCases(commands: readonly CommandFacts[], offer: (flag: FlagFacts) => string): string[] {
  return commands.flatMap(({ path, flags }) =>
    flags
      .filter(({ takesValue }) => takesValue)
      .map((flag) => `    ${flag.words.map((word) => quoted(`${path} ${word}`)).join('|')}) ${offer(flag)} ;;`),
  );
}

/** The commands whose operands are names that are known. */
function knownCases(commands: readonly CommandFacts[], offer: (known: Known) => string): string[] {
  return KNOWN.map((known) => {
    const paths = commands.filter((command) => command.known === known).map(({ path }) => quoted(path));
    return `    ${paths.join('|')}) ${offer(known)} ;;`;
  });
}

function bash(program: string, commands: readonly CommandFacts[]): string {
  const wordsOf = ({ next, flags }: CommandFacts): string =>
    [...next.map(({ word }) => word), ...flags.flatMap(({ words }) => words)].join(' ');
  return lines([
    `# ${program} completion for bash. Put this into ~/.bashrc:  eval "$(${program} completion bash)"`,
    // Word by word: bash would run what is in a list of words.
    `_${program}_known() {`,
    '  local name',
    '  while IFS= read -r name; do',
    '    [[ $name == "$cur"* ]] && COMPREPLY+=("$(printf %q "$name")")',
    `  done < <(${program} known-words "$1" 2>/dev/null)`,
    '}',
    `_${program}() {`,
    '  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path="" word words=""',
    '  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do',
    ...pathCases(commands),
    '  done',
    '  case "$path $prev" in',
    ...valueCases(commands, ({ choices, known }) =>
      known === undefined
        ? `COMPREPLY=($(compgen -W ${quoted(choices.join(' '))} -- "$cur")); return`
        : `COMPREPLY=(); _${program}_known ${known}; return`,
    ),
    '  esac',
    '  case "$path" in',
    ...commands.map((command) => `    ${quoted(command.path)}) words=${quoted(wordsOf(command))} ;;`),
    '  esac',
    '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
    '  [[ $cur == -* ]] || case "$path" in',
    ...knownCases(commands, (known) => `_${program}_known ${known}`),
    '  esac',
    '}',
    `complete -o default -F _${program} ${program}`,
  ]);
}

function zsh(program: string, commands: readonly CommandFacts[]): string {
  const namesFor = (known: Known): string => `compadd -- \${(f)"$(${program} known-words ${known} 2>/dev/null)"}`;
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
    ...valueCases(commands, ({ choices, known }) =>
      known !== undefined
        ? `${namesFor(known)}; return`
        : choices.length === 0
          ? '_files; return'
          : `compadd -- ${choices.map(quoted).join(' ')}; return`,
    ),
    '  esac',
    '  case "$path" in',
    ...commands.map((command) => `    ${quoted(command.path)}) offers=(${wordsOf(command)}) ;;`),
    '  esac',
    '  [[ $PREFIX == -* ]] || case "$path" in',
    ...knownCases(commands, namesFor),
    '  esac',
    `  _describe ${program} offers || _files`,
    '}',
    `compdef _${program} ${program}`,
  ]);
}

function fish(program: string, commands: readonly CommandFacts[]): string {
  const namesFor = (known: Known): string => quoted(`(${program} known-words ${known} 2>/dev/null)`);
  return lines([
    `# ${program} completion for fish. Put it into ~/.config/fish/completions/${program}.fish`,
    ...commands.flatMap((command) => {
      const at = `complete -c ${program} -n ${quoted(fishCondition(command))}`;
      const next = command.next.map(
        ({ word, description }) => `${at} -a ${quoted(word)}${description === '' ? '' : ` -d ${quoted(description)}`}`,
      );
      const names = command.known === undefined ? [] : [`${at} -a ${namesFor(command.known)}`];
      const flags = command.flags.map(({ words, takesValue, choices, known, description }) => {
        const forms = words.map((word) => (word.startsWith('--') ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`));
        const list = known === undefined ? quoted(choices.join(' ')) : namesFor(known);
        const value = known !== undefined || choices.length > 0 ? ` -x -a ${list}` : takesValue ? ' -r' : '';
        return `${at} ${forms.join(' ')}${value} -d ${quoted(description)}`;
      });
      return [...next, ...names, ...flags];
    }),
  ]);
}

/** True if the words typed so far name this command, and none below it. */
function fishCondition({ path, next }: CommandFacts): string {
  if (path === '') return '__fish_use_subcommand';
  const seen = path.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  const deeper = next.length === 0 ? [] : [`not __fish_seen_subcommand_from ${next.map(({ word }) => word).join(' ')}`];
  return [...seen, ...deeper].join('; and ');
}

function lines(all: readonly string[]): string {
  return all.join('\n');
}
