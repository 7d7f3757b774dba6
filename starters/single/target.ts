import { messageOf } from '../../contract/message-of.ts';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import type { Flags } from '../commands/flags.ts';
import { usageError, type ExitError } from '../exit-error.ts';

/** Where `-o` sends a result. */
export type Target =
  | { readonly type: 'stdout' }
  /** This file. */
  | { readonly type: 'file'; readonly path: string }
  /** A file in this folder, named after the job. */
  | { readonly type: 'folder'; readonly path: string };

/**
 * Reads `-o`: a file, a folder, or `-` for stdout. Default: the working directory. Throws {@link ExitError} `usage` if
 * the folder is missing or cannot be written to.
 */
export async function readTarget(flags: Flags): Promise<Target> {
  const target = await parseTarget(flags);
  if (target.type === 'stdout') return target;
  const folder = target.type === 'folder' ? target.path || '.' : dirname(target.path);
  await access(folder, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    if (isMissing(error)) throw noFolderError(folder);
    throw usageError(`${folder} cannot be written to: ${messageOf(error)}. Choose another place with -o.`);
  });
  return target;
}

async function parseTarget({ out }: Flags): Promise<Target> {
  if (out === '-') return { type: 'stdout' };
  if (out === undefined) return { type: 'folder', path: '' };
  if (out === '') throw usageError('-o: expected a file, a folder, or - for stdout.');
  const existing = await stat(out).catch((error: unknown) => {
    // A missing file is created later. Other errors, such as a name that is too long, would come back after the
    // payment.
    if (isMissing(error)) return undefined;
    throw usageError(`${out} cannot be written to: ${messageOf(error)}. Choose another place with -o.`);
  });
  if (existing?.isDirectory() === true) return { type: 'folder', path: out };
  if (out.endsWith('/') || out.endsWith(sep)) throw noFolderError(out);
  return { type: 'file', path: out };
}

function noFolderError(path: string): ExitError {
  return usageError(`There is no folder ${path}. Create it, or choose another place with -o.`);
}

/** Checks before the payment that no file would be overwritten without `--force`. Throws {@link ExitError} `usage`. */
export async function checkTarget(target: Target, { force = false }: Flags): Promise<void> {
  if (target.type === 'file' && !force && (await stat(target.path).catch(() => undefined))?.isFile() === true)
    throw existsError(target.path);
}

/** Checks that a file for stdout goes neither to a terminal nor beside JSON. Throws {@link ExitError} `usage`. */
export function checkStdout(target: Target, { json = false }: Flags): void {
  if (target.type !== 'stdout') return;
  if (json) throw usageError('-o - and --json both write to stdout. Choose one.');
  if (process.stdout.isTTY)
    throw usageError('-o - writes the bytes of the file, and stdout is a terminal. Pipe it, or name a file.');
}

/** Returns the error for a file that exists already. */
export function existsError(path: string): ExitError {
  return usageError(`${path} already exists. To overwrite it, add --force; or choose another file with -o.`);
}

/** Returns the path of a result: the file of `-o`, or `name.extension` in its folder. */
export function pathOf(target: Exclude<Target, { readonly type: 'stdout' }>, name: string, extension: string): string {
  return target.type === 'file' ? target.path : join(target.path, `${name}.${extension}`);
}

/** Returns the extension of the file of `-o`, in lower case without the dot; empty if there is none. */
export function extensionOf(target: Target): string {
  return target.type === 'file' ? extname(basename(target.path)).slice(1).toLowerCase() : '';
}

function isMissing(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === 'ENOENT';
}
