import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** How to get ffmpeg, as the end of a message. */
export const FFMPEG_ADVICE =
  'Install ffmpeg (https://ffmpeg.org; apt-get install ffmpeg, brew install ffmpeg), or name its path in VOXBATCH_FFMPEG.';

/**
 * Finds ffmpeg: the program that `VOXBATCH_FFMPEG` names if that is set, otherwise the first one on `PATH`. Returns its
 * absolute path; undefined if there is none.
 */
export async function findFfmpeg(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const named = namedFfmpeg(env);
  if (named !== undefined) return (await isProgram(named)) ? named : undefined;
  const name = process.platform === 'win32' ? 'ffmpeg.exe' : 'ffmpeg';
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    // A relative `PATH` entry would run whatever is in the working directory.
    if (isAbsolute(folder) && (await isProgram(join(folder, name)))) return join(folder, name);
  }
  return undefined;
}

/** Returns the absolute path that `VOXBATCH_FFMPEG` names, whether or not it exists; undefined if it is not set. */
export function namedFfmpeg(env: NodeJS.ProcessEnv): string | undefined {
  const named = env['VOXBATCH_FFMPEG'] ?? '';
  return named === '' ? undefined : resolve(named);
}

/** Returns the message for a program named by `VOXBATCH_FFMPEG` that cannot be run, with advice. */
export function unusableFfmpeg(path: string): string {
  return `VOXBATCH_FFMPEG names ${path}, which does not exist or cannot be run. Correct it, or unset it to use the ffmpeg on PATH.`;
}

/** Whether a path is an executable file. */
async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
