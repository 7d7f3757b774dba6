import { dialectChoiceOf } from '../../contract/batch.ts';
import { MOST_NAMED, continueCommand, type ContinuedBatch } from '../../client/look/continue-command.ts';
import type { workSpan } from '../../client/look/pace.ts';
import { type NamedRow, formatPartCount } from '../../contract/row-parts.ts';
import { oneLine } from './table.ts';
import { type NextCommand, shellWord } from '../../contract/shell-word.ts';

const RULES = new Intl.PluralRules('en-US');

/** An amount for people, such as credits: `1,200.5`, with at most one decimal. */
export function number(value: number): string {
  return shown(value).toLocaleString('en-US');
}

/** `1 row`, `2,000 rows`. `other`: the word for more than one, where that is not `one` with an s. */
export function plural(count: number, one: string, other = `${one}s`): string {
  return `${number(count)} ${form(count, one, other)}`;
}

/** The words for one thing, or for another number of them: `form(count, 'it is', 'they are')`. */
export function form(count: number, one: string, other: string): string {
  return RULES.select(shown(count)) === 'one' ? one : other;
}

/** `a`, `a and b`, `a, b and c`. */
export function list(items: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(items);
}

function shown(value: number): number {
  return Math.round(value * 10) / 10;
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** Bytes for people, everywhere in powers of 1,000: `640 KB`, `1.2 GB`. */
export function size(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${number(bytes / 1_000 ** step)} ${UNITS[step] ?? ''}`;
}

/** `1:05`, `2:00:09`. */
export function clock(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  const two = (value: number): string => String(value).padStart(2, '0');
  return h > 0 ? `${String(h)}:${two(m)}:${two(s)}` : `${String(m)}:${two(s)}`;
}

/** `0:12 after the first request`; `0:03 after it was opened again, 1:05:00 after the first request`. */
export function tookWords({ from, first, isReopened }: NonNullable<ReturnType<typeof workSpan>>, end: number): string {
  const whole = `${clock(end - first)} after the first request`;
  return isReopened ? `${clock(end - from)} after it was opened again, ${whole}` : whole;
}

/** Words of the API or of the system as a sentence: with a full stop, unless they end in one. */
export function sentence(message: string): string {
  return /[.!?]$/.test(message) ? message : `${message}.`;
}

/** ` (the first 20 of 57 rows)`, if a command does not name all. */
export function unnamedRows(some: { readonly count: number; readonly parts?: number }): string {
  return some.count > MOST_NAMED ? ` (the first ${String(MOST_NAMED)} of ${unitsInWords(some)})` : '';
}

/** A row in a message: its own id first, then its number, as in `L0077 (row 78)`; `L0077#2 (part of row 78)`. */
export function namedRow({ row, id, partOf }: NamedRow): string {
  return `${oneLine(id)} (${(partOf ?? null) === null ? '' : 'part of '}row ${String(partOf ?? row)})`;
}

/** `1,000 rows`; `20 of 1,000 rows` if the others are not selected. */
export function chosenInWords(chosen: number, all: number): string {
  return chosen === all ? rowsInWords(all) : `${number(chosen)} of ${rowsInWords(all)}`;
}

/** `3 rows`, `2 parts`, `1 row and 2 parts`: of so many, `parts` are parts of rows. */
export function unitsInWords({ count, parts = 0 }: { readonly count: number; readonly parts?: number }): string {
  const words = [
    ...(count > parts ? [rowsInWords(count - parts)] : []),
    ...(parts > 0 ? [formatPartCount(parts)] : []),
  ];
  return words.length === 0 ? rowsInWords(0) : words.join(' and ');
}

/** `1 row`, `1,000 rows`. */
export function rowsInWords(rows: number): string {
  return plural(rows, 'row');
}

/** A command as a person can paste it into a POSIX shell. */
export function commandLine({ command, args, stdin }: NextCommand): string {
  const words = ['voxbatch', command, ...args.map(shellWord)].join(' ');
  return stdin === undefined ? words : `${words} < ${stdin}`;
}

/** How a single job goes on whose command was ended, also after another take of it was recorded. */
export function sameAgain(taken?: { readonly instead: string }): string {
  const same = taken?.instead ?? 'the same command again';
  return `T${same.slice(1)} continues the job; what is paid for is not paid for again.`;
}

/** The command that continues a batch; see {@link continueCommand}. */
export function goOnCommand(batch: ContinuedBatch, out?: string | null): string {
  return commandLine(continueCommand(batch, out));
}

/** `, --api-dialect legacy=20%` of a batch; nothing where all its rows speak v1. */
export function dialectWords(settings: Parameters<typeof dialectChoiceOf>[0]): string {
  const choice = dialectChoiceOf(settings);
  return choice === 'v1' ? '' : `, --api-dialect ${choice}`;
}
