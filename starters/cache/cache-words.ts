import { join } from 'node:path';
import type { CachedStep, ResultHolder } from '../../batches/cache/cached-row.ts';
import type { Pruned } from '../../batches/cache/prune-cache.ts';
import type { BatchRecord, RowRecord } from '../../ledger/record-types.ts';
import type { CacheSums, NamedSum } from '../../ledger/result-lists.ts';
import { isoTime } from '../../results/receipt.ts';
import { freedWords } from '../terminal/file-words.ts';
import { number, size } from '../terminal/words.ts';
import { namedRow } from '../terminal/row-words.ts';
import { sourceWords } from '../terminal/attempt-words.ts';
import { oneLine, tableLines } from '../terminal/table.ts';

/** The cache where nothing was ever run. */
export const EMPTY_CACHE: CacheSums = {
  entries: 0,
  results: 0,
  bytes: 0,
  byBatch: [],
  byKind: [],
  byVoice: [],
  byAge: [],
};

/** Names that are shown of each list; `--json` has more. */
const SHOWN = 10;
/** Longest part of a key that is shown. */
const LONGEST_PART = 200;

/** How much is kept for later rows. */
export function cacheLines(sums: CacheSums): readonly string[] {
  if (sums.entries === 0) return ['No result is kept for later rows yet.'];
  const { results, entries, bytes } = sums;
  return [
    `${number(results)} ${results === 1 ? 'result' : 'results'} that later rows can use, ${size(bytes)}. ${number(entries)} ${entries === 1 ? 'row has' : 'rows have'} ${results === 1 ? 'it' : 'one of them'}.`,
    ...sumTable('batch', sums.byBatch),
    ...sumTable('kind', sums.byKind),
    ...sumTable('voice', sums.byVoice),
    ...tableLines<CacheSums['byAge'][number]>(
      [
        { title: 'last used', value: ({ days }) => ageWords(days) },
        { title: 'results', value: ({ results: n }) => number(n), align: 'right' },
        { title: 'size', value: ({ bytes: n }) => size(n), align: 'right' },
      ],
      sums.byAge,
    ),
  ];
}

function sumTable(title: string, sums: readonly NamedSum[]): readonly string[] {
  const rest = sums.length - SHOWN;
  return [
    ...tableLines<NamedSum>(
      [
        { title, value: ({ name }) => (name === '' ? '(none)' : name) },
        { title: 'rows', value: ({ entries }) => number(entries), align: 'right' },
        { title: 'size', value: ({ bytes }) => size(bytes), align: 'right' },
      ],
      sums.slice(0, SHOWN),
    ),
    ...(rest > 0 ? [`  and ${number(rest)} smaller ones (--json)`] : []),
  ];
}

function ageWords(days: number | null): string {
  if (days === null) return 'longer ago';
  return days === 1 ? 'within a day' : `within ${String(days)} days`;
}

/** A row, as the cache sees it. */
export interface CachedRow {
  readonly batch: BatchRecord;
  readonly row: Pick<RowRecord, 'row' | 'id'>;
  readonly steps: readonly CachedStep[];
  /** Folder of the store. Absolute. */
  readonly store: string;
}

/** What the results of a row are known by, where they are kept, and who has them. */
export function cachedRowLines({ batch, row, steps, store }: CachedRow): readonly string[] {
  return [`${namedRow(row)} of batch "${batch.name}"`, ...steps.flatMap((step) => stepLines(step, store))];
}

function stepLines({ step, key, parts, source, holders }: CachedStep, store: string): readonly string[] {
  if (key === null)
    return [`  ${step}: no later row can have its result (the cache is off, or nobody knows what is behind a link)`];
  return [
    `  ${step}: key ${key}, made of`,
    ...parts.map(({ name, value }) => `    ${oneLine(name)}: ${short(value)}`),
    ...(source === null ? [] : [`    ${sourceWords(source)}`]),
    ...(holders.length === 0 ? ['    no result is kept'] : []),
    ...holders.map((holder, at) => `    ${at === 0 ? 'kept by' : 'also by'} ${holderWords(holder, store)}`),
  ];
}

function holderWords({ batch, row, file, bytes, madeAt, usedAt, isStored }: ResultHolder, store: string): string {
  const used = usedAt > madeAt ? `, last used ${isoTime(usedAt)}` : '';
  const place = isStored ? join(store, file.key) : `${join(store, file.key)} is missing`;
  return `row ${String(row)} of "${batch}", ${isoTime(madeAt)}${used}: ${size(bytes)}, ${place}`;
}

/** The same for machines. */
export function cachedRowJson({ batch, row, steps, store }: CachedRow): object {
  return {
    batch: batch.name,
    row: row.row,
    id: row.id,
    steps: steps.map(({ step, key, parts, source, holders }) => ({
      step,
      key,
      parts: Object.fromEntries(parts.map(({ name, value }) => [name, value])),
      source: source === null ? null : { is: source.is, ...source.from, job_id: source.jobId },
      holders: holders.map(({ batch: name, row: number_, file, bytes, madeAt, usedAt, isStored }) => {
        const times = { made_at: isoTime(madeAt), used_at: isoTime(usedAt) };
        return {
          batch: name,
          row: number_,
          bytes,
          sha256: file.sha256,
          path: isStored ? join(store, file.key) : null,
          ...times,
        };
      }),
    })),
  };
}

/** What a prune removed, or would remove. */
export function prunedLine({ results, needed, media }: Pruned, isDryRun: boolean): string {
  const verb = isDryRun ? 'Would remove' : 'Removed';
  const kept = needed === 0 ? '' : ` ${number(needed)} more stay, because open batches need them.`;
  const what = `${number(results)} ${results === 1 ? 'result' : 'results'}`;
  return `${verb} ${what}, ${freedWords(media, isDryRun, 'out folders')}.${kept}`;
}

/** The same for machines. Sizes in bytes. */
export function prunedJson({ results, needed, media }: Pruned, isDryRun: boolean): object {
  return { dry_run: isDryRun, results, needed, media };
}

function short(value: string): string {
  const line = oneLine(value);
  return line.length > LONGEST_PART ? `${line.slice(0, LONGEST_PART)}…` : line;
}
