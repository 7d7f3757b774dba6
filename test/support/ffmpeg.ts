import { execFile } from 'node:child_process';
import { chmodSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import installed from '@ffmpeg-installer/ffmpeg';

/**
 * Absolute path of an ffmpeg for tests: a development dependency that carries the program itself, so that no test depends
 * on what the machine has. Nothing of it is shipped.
 */
export const FFMPEG: string = installed.path;
// npm may be set up to run no install script; the package's own one does only this.
if ((statSync(FFMPEG).mode & 0o111) === 0) chmodSync(FFMPEG, 0o755);

/** Runs it as a person would, to make or to hear files. Returns what it writes to its error output. */
export async function ffmpeg(...args: readonly string[]): Promise<string> {
  const { stderr } = await promisify(execFile)(FFMPEG, ['-nostdin', '-y', '-hide_banner', ...args]);
  return stderr;
}
