import { messageOf } from '../../contract/message-of.ts';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { basename, dirname, extname, join, sep } from 'node:path';
import type { Flags } from '../commands/flags.ts';
import { usageError, type ExitError } from '../exit-error.ts';

/** Where a result goes. */
export type Target =
  | { readonly type: 'stdout' }
  /** This file. */
  | { readonly type: 'file'; readonly path: string }
  /** A file in this folder, named after the job. */
  | { readonly type: 'folder'; readonly path: string };

/**
 * Reads `-o`: a file, a folder, or `-` for stdout. Default: the working directory. Throws {@link ExitError} `usage` for
 * a path that can be neither, or whose folder cannot be written to.
 */
export async function readTarget(flags: Flags): Promise<Target> {
  const target = await placeOf(flags);
  if (target.type === 'stdout') return target;
  const folder = target.type === 'folder' ? target.path || '.' : dirname(target.path);
  await access(folder, constants.W_OK | constants.X_OK).catch((error: unknown) => {
    if (isAbsent(error)) throw noFolder(folder);
    throw usageError(`${folder} cannot be written to: ${messageOf(error)}. Choose another place with -o.`);
  });
  return target;
}

async function placeOf({ out }: Flags): Promise<Target> {
  if (out === '-') return { type: 'stdout' };
  if (out === undefined) return { type: 'folder', path: '' };
  if (out === '') throw usageError('-o: expected a file, a folder, or - for stdout.');
  const there = await stat(out).catch((error: unknown) => {
    // No file yet. Anything else (a name that is too long, a file where a folder must be) would fail after the payment.
    if (isAbsent(error)) return undefined;
    throw usageError(`${out} cannot be written to: ${messageOf(error)}. Choose another place with -o.`);
  });
  if (there?.isDirectory() === true) return { type: 'folder', path: out };
  if (out.endsWith('/') || out.endsWith(sep)) throw noFolder(out);
  return { type: 'file', path: out };
}

function noFolder(path: string): ExitError {
  return usageError(`There is no folder ${path}. Create it, or choose another place with -o.`);
}

/** Checks, before anything is paid for, that no file of the user's is in the way. Throws {@link ExitError} `usage`. */
export async function checkTarget(target: Target, { force = false }: Flags): Promise<void> {
  if (target.type === 'file' && !force && (await stat(target.path).catch(() => undefined))?.isFile() === true)
    throw existsError(target.path);
}

/** Bytes on a terminal are noise, and beside JSON they are neither. Throws {@link ExitError} `usage`. */
export function checkStdout(target: Target, { json = false }: Flags): void {
  if (target.type !== 'stdout') return;
  if (json) throw usageError('-o - and --json both write to stdout. Choose one.');
  if (process.stdout.isTTY)
    throw usageError('-o - writes the bytes of the file, and stdout is a terminal. Pipe it, or name a file.');
}

/** A file of the user's is in the way. */
export function existsError(path: string): ExitError {
  return usageError(`${path} already exists. To overwrite it, add --force; or choose another file with -o.`);
}

/** The path of a result: as given, or `name.ext` in the folder. */
export function pathOf(target: Exclude<Target, { readonly type: 'stdout' }>, name: string, extension: string): string {
  return target.type === 'file' ? target.path : join(target.path, `${name}.${extension}`);
}

/** The extension that the user chose, in lower case without a dot; empty without one. */
export function extensionOf(target: Target): string {
  return target.type === 'file' ? extname(basename(target.path)).slice(1).toLowerCase() : '';
}

function isAbsent(error: unknown): boolean {
  return (error as { readonly code?: unknown } | null)?.code === 'ENOENT';
}
