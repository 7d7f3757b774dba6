import { createProgram } from '../../starters/program.ts';
import { commandTree, type CommandFacts } from '../../starters/terminal/usage-words.ts';
import { capture } from '../starters/capture.ts';
import { table } from './markdown.ts';

/** All commands and flags, as `--help` describes them. */
export function commandReference(): string {
  const program = createProgram({ output: capture({ out: '', err: '' }), done: () => undefined });
  const commands = commandTree(program).filter(({ path }) => path !== '' && path !== 'help');
  const overview = table(
    ['command', 'what it does'],
    commands.map(({ path, description }) => [
      `[\`${path}\`](#voxbatch-${path.replaceAll(' ', '-')})`,
      prose(description),
    ]),
  );
  return `${overview}\n${commands.map(section).join('\n')}`;
}

function section({ path, usage, description, flags }: CommandFacts): string {
  const shown = flags.filter((flag) => !flag.words.includes('--help'));
  const rows = shown.map((flag) => [`\`${flag.flags}\``, prose(flag.description)]);
  const flagTable = rows.length === 0 ? '' : `\n${table(['flag', 'meaning'], rows)}`;
  return `## voxbatch ${path}\n\n\`voxbatch ${usage}\`\n\n${prose(description)}.\n${flagTable}`;
}

/** Words that Markdown would take for a tag are escaped. */
function prose(text: string): string {
  return text.replaceAll('<', '&lt;');
}
