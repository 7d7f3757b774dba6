import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** How to get ffmpeg, as the end of a message. */
export const FFMPEG_ADVICE =
  'Install ffmpeg (https://ffmpeg.org; apt-get install ffmpeg, brew install ffmpeg), or name its path in VOXBATCH_FFMPEG.';

/**
 * Absolute path of ffmpeg: what `VOXBATCH_FFMPEG` names, and nothing else if it is set; otherwise the first one on
 * `PATH`. Undefined if there is none.
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

/** The absolute path that `VOXBATCH_FFMPEG` names, whether or not it exists; undefined if it is not set. */
export function namedFfmpeg(env: NodeJS.ProcessEnv): string | undefined {
  const named = env['VOXBATCH_FFMPEG'] ?? '';
  return named === '' ? undefined : resolve(named);
}

/** Message that the ffmpeg named by `VOXBATCH_FFMPEG` is unusable, with advice. */
export function unusableFfmpeg(path: string): string {
  return `VOXBATCH_FFMPEG names ${path}, which does not exist or cannot be run. Correct it, or unset it to use the ffmpeg on PATH.`;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
