import { printAnswer, type RunContext } from '../terminal/output.ts';
import { pruneCacheAndUploads, showCachedRow, sumCache } from '../../client/cache/cache.ts';
import type { Flags } from '../commands/flags.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { confirmRemoval, requireConsent, type Ask, askYesNo } from '../terminal/ask.ts';
import { withSession } from '../connect/connect-api.ts';
import { unchangedError } from '../exit-error.ts';
import { findHistory } from '../../client/rows/explain.ts';
import { unclearRow } from '../rows/explain.ts';
import { personAt } from '../person.ts';
import { admittance, confirmStore } from '../trust/confirm.ts';
import { freedWords, uploadLines } from '../terminal/file-words.ts';
import { namedRow, size, form, number, plural } from '../terminal/words.ts';
import { sourceWords } from '../terminal/attempt-words.ts';
import { clipped, oneLine, tableLines } from '../terminal/table.ts';

/** `voxbatch cache list`: shows how much is cached for later rows. */
export async function listCache({ json }: Flags, { output }: RunContext): Promise<ExitName> {
  const sums = await withSession({}, sumCache);
  printAnswer(output, { json }, sums, () => cacheLines(sums));
  return 'complete';
}

/**
 * `voxbatch cache show ROW`: shows the cache keys of a row's results, where they are stored, and which rows share them.
 */
export async function showCached(
  first: string,
  second: string | undefined,
  { batch: named, json }: Flags,
  { output }: RunContext,
): Promise<ExitName> {
  const request = { first, second, named };
  const row = await withSession({}, async (session) => {
    const answer = await findHistory(await session.ledger(), request);
    if (answer.type !== 'found') throw unclearRow(answer, request);
    return showCachedRow(session, answer.history);
  });
  printAnswer(output, { json }, row, () => cachedRowLines(row));
  return 'complete';
}

/** `voxbatch cache prune`: shows what it would remove, asks, and removes it. */
export async function prune(flags: Flags, { output }: RunContext, ask: Ask = askYesNo): Promise<ExitName> {
  const { olderThan: olderThanMs, keepBytes, dryRun = false } = flags;
  if (olderThanMs === undefined && keepBytes === undefined)
    throw unchangedError('Which results? --older-than TIME (such as 30d), --keep-bytes SIZE (such as 10GB) or both.');
  const person = personAt(output, flags);
  if (!dryRun) requireConsent(person);
  const pruned = await withSession(
    flags,
    (session) =>
      pruneCacheAndUploads(session, {
        ...defined({ olderThanMs, keepBytes }),
        isDryRun: dryRun,
        reason: flags.reason,
        confirm: async (forecast) => {
          if (person.yes) return;
          for (const line of prunedLines({ dryRun: true, ...forecast })) output.say(line);
          await confirmRemoval(ask);
        },
      }),
    async (ledger, settings) => {
      if (!dryRun) await admittance(settings, flags, output)(ledger);
      await confirmStore(settings, flags);
    },
  );
  const view = { dryRun, ...pruned };
  printAnswer(output, flags, view, () => prunedLines(view));
  return 'complete';
}

type CacheSums = Awaited<ReturnType<typeof sumCache>>;
type NamedSum = CacheSums['byBatch'][number];
type PruneView = Awaited<ReturnType<typeof pruneCacheAndUploads>> & { readonly dryRun: boolean };
type CachedRowView = Awaited<ReturnType<typeof showCachedRow>>;
type CachedStep = CachedRowView['steps'][number];

/** Names shown per list; `--json` has more. */
const MAX_NAMES = 10;
/** Characters of a key's part that are shown. */
const MAX_PART_LENGTH = 200;

/** Describes how much is cached for later rows. */
function cacheLines(sums: CacheSums): readonly string[] {
  if (sums.entries === 0) return ['No result is kept for later rows yet.'];
  const { results, entries, bytes } = sums;
  const rows = `${plural(entries, 'row has', 'rows have')} ${form(results, 'it', 'one of them')}`;
  return [
    `${plural(results, 'result')} that later rows can use, ${size(bytes)}. ${rows}.`,
    ...sumTable('batch', sums.byBatch),
    ...sumTable('kind', sums.byKind),
    ...sumTable('voice', sums.byVoice),
    ...tableLines<CacheSums['byAge'][number]>(
      [
        { title: 'last used', value: ({ days }) => ageWords(days) },
        { title: 'results', value: ({ results: count }) => number(count), align: 'right' },
        { title: 'size', value: ({ bytes: ageBytes }) => size(ageBytes), align: 'right' },
      ],
      sums.byAge,
    ),
  ];
}

function sumTable(title: string, sums: readonly NamedSum[]): readonly string[] {
  const rest = sums.length - MAX_NAMES;
  return [
    ...tableLines<NamedSum>(
      [
        { title, value: ({ name }) => (name === '' ? '(none)' : name) },
        { title: 'rows', value: ({ entries }) => number(entries), align: 'right' },
        { title: 'size', value: ({ bytes }) => size(bytes), align: 'right' },
      ],
      sums.slice(0, MAX_NAMES),
    ),
    ...(rest > 0 ? [`  and ${number(rest)} smaller ones (--json)`] : []),
  ];
}

function ageWords(days: number | null): string {
  if (days === null) return 'longer ago';
  return days === 1 ? 'within a day' : `within ${String(days)} days`;
}

/** Describes a row's cached results: their keys, where they are stored, and which rows share them. */
function cachedRowLines({ batch, steps, ...row }: CachedRowView): readonly string[] {
  return [`${namedRow(row)} of batch "${batch}"`, ...steps.flatMap(stepLines)];
}

function stepLines({ step, key, parts, source, holders }: CachedStep): readonly string[] {
  if (key === null)
    return [`  ${step}: no later row can have its result (the cache is off, or nobody knows what is behind a link)`];
  return [
    `  ${step}: key ${key}, made of`,
    ...Array.from(parts, ([name, value]) => `    ${oneLine(name)}: ${clipped(value, MAX_PART_LENGTH)}`),
    ...(source === null ? [] : [`    ${sourceWords({ ...source, from: source, madeAt: source.madeAt.getTime() })}`]),
    ...(holders.length === 0 ? ['    no result is kept'] : []),
    ...holders.map((holder, at) => `    ${at === 0 ? 'kept by' : 'also by'} ${holderWords(holder)}`),
  ];
}

function holderWords({ batch, row, bytes, madeAt, usedAt, path, missing = '' }: CachedStep['holders'][number]): string {
  const used = usedAt > madeAt ? `, last used ${usedAt.toISOString()}` : '';
  const place = path ?? `${missing} is missing`;
  return `row ${String(row)} of "${batch}", ${madeAt.toISOString()}${used}: ${size(bytes)}, ${place}`;
}

/** Describes what a prune removed, or would remove. */
function prunedLines({ dryRun, results, needed, media, uploads }: PruneView): readonly string[] {
  const verb = dryRun ? 'Would remove' : 'Removed';
  const kept = needed === 0 ? '' : ` ${number(needed)} more stay, because open batches need them.`;
  const line = `${verb} ${plural(results, 'result')}, ${freedWords(media, dryRun, 'out folders')}.${kept}`;
  return [line, ...uploadLines(uploads, dryRun)];
}
