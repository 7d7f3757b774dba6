import type { By } from '../../contract/actions.ts';
import type { Tuning } from '../../contract/tunables.ts';
import { LedgerMisuse } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RedriveChoice } from '../../ledger/takes/redrive.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowRecord } from '../../ledger/rows/row-records.ts';
import { budgetLeft } from '../../policy/money/budget.ts';
import { leftUnfetched } from '../../policy/redrive/earlier-take.ts';
import { type FoundRows, partsToRedrive, type RedriveRules } from './selection.ts';
import { RedriveDraft } from './draft.ts';
import { inChunks } from '../../results/in-chunks.ts';

/** This many hold the ledger's lock for some tenths of a second, and running work waits for it. */
const ROWS_A_TRANSACTION = 200;

/**
 * Works out what a redrive of these rows will do and cost. Changes nothing. `tuning`: changes to the batch's tunables
 * that come with it.
 */
export async function draftRedrive(
  ledger: Pick<Ledger, 'money' | 'scanRows' | 'partsOf' | 'takesOf'>,
  batch: BatchRecord,
  rows: FoundRows,
  rules: RedriveRules,
  tuning: Tuning = {},
): Promise<RedriveDraft> {
  const draft = new RedriveDraft(batch.settings, rules, await budgetLeftFor(ledger, batch, tuning));
  await draft.addAll(rowsToRedrive(ledger, batch.name, rows, rules));
  if (draft.makesVoices) {
    for await (const standing of ledger.scanRows(batch.name, { outcome: 'failed', inParts: true }))
      draft.addDependent(standing);
  }
  return draft;
}

/**
 * The rows that a redrive plans. One that left a take before its paid result was fetched comes with the take by which
 * it was last edited, because what it asked for before is of no use to it. Few rows have left one, so no other row's
 * takes are read.
 */
function rowsToRedrive(
  ledger: Pick<Ledger, 'partsOf' | 'takesOf'>,
  batch: string,
  rows: FoundRows,
  rules: RedriveRules,
): FoundRows {
  return {
    async *[Symbol.asyncIterator]() {
      for await (const found of partsToRedrive(ledger, batch, rows, rules)) {
        const { row, charges } = found.scanned;
        const hasLeft = row.take > 1 && leftUnfetched(row, charges, 1) !== undefined;
        const takes = hasLeft ? await ledger.takesOf(batch, row.row) : [];
        const edit = takes.findLast(({ before }) => before.spec !== undefined);
        yield edit === undefined ? found : { ...found, askedSince: edit.take };
      }
    },
  };
}

/** Credits left of a batch's budget, after these changes; null if it has none. */
export async function budgetLeftFor(
  ledger: Pick<Ledger, 'money'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  tuning: Tuning = {},
): Promise<number | null> {
  const budget = tuning.budget === undefined ? batch.settings.budget : tuning.budget;
  return budget === null ? null : budgetLeft(await ledger.money(batch.name), budget);
}

/**
 * Result of {@link openRows}. `movedOn`: rows that another command took, or whose answer arrived meanwhile; they are
 * left alone. `refused`: the ledger did not allow it, in its own words; `opened` rows had been opened before that.
 */
export type OpenedRows =
  | { readonly type: 'opened'; readonly opened: number; readonly movedOn: number }
  | { readonly type: 'refused'; readonly opened: number; readonly why: string };

/**
 * Opens the rows of a draft in the ledger, and the batch with them, in portions, so that other work gets its turn.
 * After a kill, another call opens the rest. `by`: whose redrive it is.
 */
export async function openRows(
  ledger: Pick<Ledger, 'redrive' | 'partsOf' | 'takesOf'>,
  batch: string,
  draft: RedriveDraft,
  rows: FoundRows,
  by: By,
): Promise<OpenedRows> {
  let opened = 0;
  const seen = new Set<number>();
  try {
    const all = choicesOf(draft, rowsToRedrive(ledger, batch, rows, draft.rules));
    for await (const choices of inChunks(all, ROWS_A_TRANSACTION))
      opened += countRows(choices, (await ledger.redrive(batch, choices, by)).rows, seen);
  } catch (error) {
    if (!(error instanceof LedgerMisuse)) throw error;
    return { type: 'refused', opened, why: error.message };
  }
  // Some may not even have appeared again.
  return { type: 'opened', opened, movedOn: draft.count - opened };
}

/** The opened rows that were not seen before: a row in parts is opened with each of its parts. */
function countRows(choices: readonly Choice[], opened: readonly number[], seen: Set<number>): number {
  const wholes = new Map(choices.flatMap(({ row, partOf }) => (partOf === null ? [] : [[row, partOf] as const])));
  let count = 0;
  for (const row of opened) {
    const whole = wholes.get(row);
    if (whole === undefined || !seen.has(whole)) count++;
    if (whole !== undefined) seen.add(whole);
  }
  return count;
}

/** What is done with a row, and of which row it is a part. */
type Choice = RedriveChoice & Pick<RowRecord, 'partOf'>;

/**
 * The actions. Rows that make voices come last: a row that speaks with such a voice is
 * opened by the ledger as soon as its maker is, and would then be one that has moved on, without its edits.
 */
async function* choicesOf(draft: RedriveDraft, rows: FoundRows): AsyncGenerator<Choice> {
  const makers: Choice[] = [];
  for await (const found of rows) {
    const choice = draft.choiceOf(found);
    if (choice === undefined) continue;
    const { kind, partOf } = found.scanned.row;
    if (kind === 'voice') makers.push({ ...choice, partOf });
    else yield { ...choice, partOf };
  }
  yield* makers;
}
