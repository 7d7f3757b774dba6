import { closeSync, mkdirSync, openSync, readFileSync, readSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import * as z from 'zod';
import type { ServerBinary } from './server-binary.ts';

const note = z.object({ path: z.string(), print: z.string(), version: z.string() });

/**
 * What a binary last answered to `--version`, if it is still the same file: starting it just to ask takes a tenth of a
 * second. Undefined if unknown.
 *
 * @param file where {@link rememberServer} noted it
 */
export function recallServer(file: string, path: string): ServerBinary | undefined {
  try {
    const known = note.parse(JSON.parse(readFileSync(file, 'utf8')));
    if (known.path !== path || known.print !== printOf(path)) return undefined;
    return { path, version: known.version };
  } catch {
    return undefined;
  }
}

/**
 * Notes what a binary answered to `--version`. Not for a script: what it starts can change while the script stays the
 * same.
 */
export function rememberServer(file: string, { path, version }: ServerBinary): void {
  try {
    if (isScript(path)) return;
    mkdirSync(dirname(file), { recursive: true });
    const part = `${file}.${String(process.pid)}.part`;
    writeFileSync(part, `${JSON.stringify({ path, print: printOf(path), version })}\n`);
    renameSync(part, file);
  } catch {
    // Then it is simply asked again the next time.
  }
}

/** Changes whenever the file behind the path changes. */
function printOf(path: string): string {
  const { ino, size, mtimeMs, ctimeMs } = statSync(path);
  return [ino, size, mtimeMs, ctimeMs].join(' ');
}

function isScript(path: string): boolean {
  const head = Buffer.alloc(2);
  const file = openSync(path, 'r');
  try {
    readSync(file, head);
    return head.toString('latin1') === '#!';
  } finally {
    closeSync(file);
  }
}
