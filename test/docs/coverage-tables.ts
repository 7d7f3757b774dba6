import { createProgram } from '../../starters/program.ts';
import { commandTree } from '../../starters/terminal/usage-words.ts';
import { capture } from '../starters/capture.ts';
import { ENDPOINTS, FURTHER_ENDPOINTS, FURTHER_LEGACY_ENDPOINTS, LEGACY_ENDPOINTS, SURFACES } from './api-surface.ts';
import { table } from './markdown.ts';
import { type NamedTest, readNamedTests } from './read-titles.ts';

/** The endpoints of version 1 and their tests. */
export function endpointTable(): string {
  const tests = readNamedTests();
  return table(
    ['endpoint', 'tests'],
    [...ENDPOINTS, ...FURTHER_ENDPOINTS].map((one) => [`\`${one}\``, testsOf(one, tests)]),
  );
}

/** The legacy paths and their tests. */
export function legacyTable(): string {
  const tests = readNamedTests();
  return table(
    ['legacy path', 'v1 path', 'tests'],
    Object.entries({ ...LEGACY_ENDPOINTS, ...FURTHER_LEGACY_ENDPOINTS }).map(([legacy, v1]) => [
      `\`${legacy}\``,
      `\`${v1}\``,
      testsOf(legacy, tests),
    ]),
  );
}

/** The surfaces, the commands of each, and their tests. */
export function surfaceTable(): string {
  const tests = readNamedTests();
  return table(
    ['surface', 'command', 'tests'],
    surfaceCommands().map(({ surface, command }) => [surface, `\`${command}\``, testsOf(command, tests)]),
  );
}

/** Every command by which a person uses a surface. */
export function surfaceCommands(): readonly { readonly surface: string; readonly command: string }[] {
  const program = createProgram({ output: capture({ out: '', err: '' }), done: () => undefined });
  const paths = commandTree(program).map(({ path }) => path);
  // A command with others below it may do something by itself, too; its test says so.
  const tested = new Set(readNamedTests().map(({ shows }) => shows));
  const isCommand = (path: string): boolean =>
    tested.has(`voxbatch ${path}`) || !paths.some((other) => other.startsWith(`${path} `));
  const commands = paths.filter((path) => path !== '' && isCommand(path));
  return Object.entries(SURFACES).flatMap(([surface, words]) =>
    commands
      .filter((path) => words.includes(path.split(' ')[0] ?? ''))
      .map((path) => ({ surface, command: `voxbatch ${path}` })),
  );
}

/** The tests that name it, by file. */
function testsOf(shows: string, tests: readonly NamedTest[]): string {
  const own = tests.filter((test) => test.shows === shows);
  return [...new Set(own.map(({ file }) => file))]
    .map((file) => {
      const titles = own.filter((test) => test.file === file).map(({ title }) => prose(title));
      // No link: packages hold this page, but not the tests.
      return `\`${file}\`: ${titles.join('; ')}`;
    })
    .join('<br>');
}

/** A title as prose: what a table of cases fills in is left open, and nothing is a mark of Markdown. */
function prose(title: string): string {
  return title
    .replaceAll(/%[a-z]|\$\w+/g, '…')
    .replaceAll('<', '&lt;')
    .replaceAll('*', String.raw`\*`);
}
