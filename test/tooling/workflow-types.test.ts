/** @slow */
import { expect, it } from '@jest/globals';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/**
 * The compiler keeps Node out of workflow code, also where Node has something that the sandbox lacks, such as
 * `structuredClone`: a unit test of a policy would pass and the workflow die.
 */

/** The rooms that are bundled for the sandbox. */
const ROOMS = ['workflows', 'policy'];

/** Files that were read already, by name: most are those of the compiler's own library. */
const read = new Map<string, ts.SourceFile | undefined>();

/** What the compiler says of a file that would lie in a room, with the settings of that room. */
function diagnose(room: string, source: string): readonly string[] {
  const config = fileURLToPath(new URL(`../../${room}/tsconfig.json`, import.meta.url));
  const planted = join(dirname(config), 'planted.ts');
  const parsed = ts.getParsedCommandLineOfConfigFile(config, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  });
  if (parsed === undefined) throw new Error(`expected settings in ${config}`);
  const { options, fileNames } = parsed;
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => path === planted || disk.fileExists(path),
    getSourceFile: (path, ...rest) => {
      if (path === planted) return ts.createSourceFile(path, source, rest[0]);
      if (!read.has(path)) read.set(path, disk.getSourceFile(path, ...rest));
      return read.get(path);
    },
  };
  // With all files of the room: one import that pulls in Node's types would bring its globals back.
  const program = ts.createProgram([...fileNames, planted], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(planted))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

it.each(ROOMS)("keeps Node's globals out of %s/", (room) => {
  const globals = ['process', 'Buffer', 'structuredClone', 'fetch', 'setTimeout', 'console', 'performance', 'URL'];
  const messages = diagnose(room, ['export {};', ...globals.map((name) => `void ${name};`)].join('\n'));
  expect(messages).toEqual(globals.map((name): unknown => expect.stringContaining(`'${name}'`)));
});

it('takes code that needs none of them', () => {
  expect(
    diagnose('workflows', "import { sleep } from '@temporalio/workflow';\nexport const rest = () => sleep('1s');"),
  ).toEqual([]);
});
