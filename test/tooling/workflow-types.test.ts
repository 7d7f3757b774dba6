import { expect, it } from '@jest/globals';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

/**
 * The compiler keeps Node out of workflow code, also where Node has something that the sandbox lacks, such as
 * `structuredClone`: a unit test of a policy would pass and the workflow die.
 */

const CONFIG = fileURLToPath(new URL('../../workflows/tsconfig.json', import.meta.url));
const PLANTED = join(dirname(CONFIG), 'planted.ts');

/** What the compiler says of a file that would lie in workflows/, with the settings of that room. */
function diagnose(source: string): readonly string[] {
  const parsed = ts.getParsedCommandLineOfConfigFile(CONFIG, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: ({ messageText }) => {
      throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
    },
  });
  if (parsed === undefined) throw new Error(`expected settings in ${CONFIG}`);
  const { options, fileNames } = parsed;
  const disk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...disk,
    fileExists: (path) => path === PLANTED || disk.fileExists(path),
    getSourceFile: (path, ...rest) =>
      path === PLANTED ? ts.createSourceFile(path, source, rest[0]) : disk.getSourceFile(path, ...rest),
  };
  // With all files of the room: one import that pulls in Node's types would bring its globals back.
  const program = ts.createProgram([...fileNames, PLANTED], options, host);
  return program
    .getSemanticDiagnostics(program.getSourceFile(PLANTED))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}

it("keeps Node's globals out of workflows/", () => {
  const globals = ['process', 'Buffer', 'structuredClone', 'fetch', 'setTimeout', 'console', 'performance', 'URL'];
  const messages = diagnose(['export {};', ...globals.map((name) => `void ${name};`)].join('\n'));
  expect(messages).toEqual(globals.map((name): unknown => expect.stringContaining(`'${name}'`)));
});

it('takes code that needs none of them', () => {
  expect(diagnose("import { sleep } from '@temporalio/workflow';\nexport const rest = () => sleep('1s');")).toEqual([]);
});
