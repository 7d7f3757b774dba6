import { afterEach, beforeEach } from '@jest/globals';
import { openCommandLine, type CommandLine } from './command-line.ts';

/** One for every test of a file, with these settings. */
export function lineForEach(env: () => NodeJS.ProcessEnv | Promise<NodeJS.ProcessEnv> = () => ({})): {
  readonly folder: string;
} {
  let line: CommandLine | undefined;
  beforeEach(async () => {
    line = await openCommandLine((await env()) as Record<string, string>);
  });
  afterEach(() => line?.close());
  return {
    get folder() {
      return line?.folder ?? '';
    },
  };
}
