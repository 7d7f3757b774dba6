import { dialectChoiceOf } from '../../contract/batch.ts';
import { MAX_NAMED, continueCommand, type ContinuedBatch } from '../../client/status/continue-command.ts';
import type { workSpan } from '../../client/status/pace.ts';
import { type NamedRow, formatPartCount } from '../../contract/row-parts.ts';
import { oneLine } from './table.ts';
import { type NextCommand, shellWord } from '../../contract/shell-word.ts';

const RULES = new Intl.PluralRules('en-US');

/**
 * Formats of numbers, rows, durations and commands that all messages share.
 */

/** Formats a number: `1,200.5`, with at most one decimal. */
export function number(value: number): string {
  return rounded(value).toLocaleString('en-US');
}

/** Formats a count: `1 row`, `2,000 rows`. `other`: the plural, if it is not `one` with an s. */
export function plural(count: number, one: string, other = `${one}s`): string {
  return `${number(count)} ${form(count, one, other)}`;
}

/** Returns the singular or the plural form: `form(count, 'it is', 'they are')`. */
export function form(count: number, one: string, other: string): string {
  return RULES.select(rounded(count)) === 'one' ? one : other;
}

/** Joins items: `a`, `a and b`, `a, b and c`. */
export function list(items: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(items);
}

/** Rounds to the decimals that {@link number} shows. */
function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** Formats bytes, in powers of 1,000: `640 KB`, `1.2 GB`. */
export function size(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${number(bytes / 1_000 ** step)} ${UNITS[step] ?? ''}`;
}

/** Formats a duration in ms: `1:05`, `2:00:09`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return h > 0 ? `${String(h)}:${two(m)}:${two(s)}` : `${String(m)}:${two(s)}`;
}

/**
 * Returns when a batch ended: `0:12 after the first request`, or `0:03 after it was opened again, 1:05:00 after the
 * first request`.
 */
export function tookWords({ from, first, isReopened }: NonNullable<ReturnType<typeof workSpan>>, end: number): string {
  const whole = `${clock(end - first)} after the first request`;
  return isReopened ? `${clock(end - from)} after it was opened again, ${whole}` : whole;
}

/** Returns a message of the API or the system with a full stop at its end. */
export function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** Returns ` (the first 20 of 57 rows)` if a command does not name all rows; else nothing. */
export function unnamedRows(some: { readonly count: number; readonly parts?: number }): string {
  return some.count > MAX_NAMED ? ` (the first ${String(MAX_NAMED)} of ${unitsInWords(some)})` : '';
}

/** Names a row in a message: `L0077 (row 78)`, or `L0077#2 (part of row 78)`. */
export function namedRow({ row, id, partOf }: NamedRow): string {
  return `${oneLine(id)} (${(partOf ?? null) === null ? '' : 'part of '}row ${String(partOf ?? row)})`;
}

/** Returns `1,000 rows`, or `20 of 1,000 rows` if the others are not chosen. */
export function chosenInWords(chosen: number, all: number): string {
  return chosen === all ? rowsInWords(all) : `${number(chosen)} of ${rowsInWords(all)}`;
}

/** Returns `3 rows`, `2 parts` or `1 row and 2 parts`. `parts`: how many of `count` are parts of rows. */
export function unitsInWords({ count, parts = 0 }: { readonly count: number; readonly parts?: number }): string {
  const words = [
    ...(count > parts ? [rowsInWords(count - parts)] : []),
    ...(parts > 0 ? [formatPartCount(parts)] : []),
  ];
  return words.length === 0 ? rowsInWords(0) : words.join(' and ');
}

/** Returns `1 row` or `1,000 rows`. */
export function rowsInWords(rows: number): string {
  return plural(rows, 'row');
}

/** Formats a command so that it can be pasted into a POSIX shell. */
export function commandLine({ command, args, stdin }: NextCommand): string {
  const words = ['voxbatch', command, ...args.map(shellWord)].join(' ');
  return stdin === undefined ? words : `${words} < ${stdin}`;
}

/**
 * Returns how to continue a single job whose command has ended. `taken`: the new take that it has recorded, which the
 * same command would order again.
 */
export function sameAgain(taken?: { readonly instead: string }): string {
  const same = taken?.instead ?? 'the same command again';
  return `T${same.slice(1)} continues the job; what is paid for is not paid for again.`;
}

/** Returns the command that continues a batch; see {@link continueCommand}. `out`: its out folder, if known. */
export function goOnCommand(batch: ContinuedBatch, out?: string | null): string {
  return commandLine(continueCommand(batch, out));
}

/** Returns a batch's dialect, such as `, --api-dialect legacy=20%`; empty if all rows use v1. */
export function dialectWords(settings: Parameters<typeof dialectChoiceOf>[0]): string {
  const choice = dialectChoiceOf(settings);
  return choice === 'v1' ? '' : `, --api-dialect ${choice}`;
}

/** Names what a person gave to a request: a job, or in place of one a stored file, by its key. */
export function jobOrFile(given: string): string {
  return `${given.includes('/') ? 'file' : 'job'} ${oneLine(given)}`;
}
