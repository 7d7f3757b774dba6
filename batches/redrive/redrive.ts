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

/** Rows per transaction: it holds the ledger's lock for some tenths of a second, and running work waits for it. */
const ROWS_A_TRANSACTION = 200;

/**
 * Plans a redrive of these rows: what it will do and cost. Changes nothing. `tuning`: changes to the batch's tunables
 * that are made together with the redrive.
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
    for await (const snapshot of ledger.scanRows(batch.name, { outcome: 'failed', inParts: true }))
      draft.addDependent(snapshot);
  }
  return draft;
}

/**
 * Returns the rows that a redrive plans, with parts in place of their rows. A row that left a take before its paid
 * result was fetched also gets the take that last edited its input: only a result of that take or a later one is of
 * use. Few rows have left such a take, so only their takes are read.
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
        // From take 1 on, because the first take with the present input is not known yet.
        const hasLeft = row.take > 1 && leftUnfetched(row, charges, 1) !== undefined;
        const takes = hasLeft ? await ledger.takesOf(batch, row.row) : [];
        const edit = takes.findLast(({ before }) => before.spec !== undefined);
        yield edit === undefined ? found : { ...found, askedSince: edit.take };
      }
    },
  };
}

/** Returns the credits left of a batch's budget, with these changes; null if it has no budget. */
export async function budgetLeftFor(
  ledger: Pick<Ledger, 'money'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  tuning: Tuning = {},
): Promise<number | null> {
  const budget = tuning.budget === undefined ? batch.settings.budget : tuning.budget;
  return budget === null ? null : budgetLeft(await ledger.money(batch.name), budget);
}

/**
 * Result of {@link openRows}. `movedOn`: how many rows were left alone because another command took them, or their
 * answer arrived meanwhile. `refused`: the ledger did not allow it; `why` is its message, and `opened` rows had been
 * opened before.
 */
export type OpenedRows =
  | { readonly type: 'opened'; readonly opened: number; readonly movedOn: number }
  | { readonly type: 'refused'; readonly opened: number; readonly why: string };

/**
 * Opens the rows of a draft in the ledger, and the batch with them, in several transactions, so that other work gets
 * its turn. After a kill, another call opens the rest. `by`: who redrives, for the record.
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
  // Not counted from the choices, because rows that moved on may not be among them.
  return { type: 'opened', opened, movedOn: draft.count - opened };
}

/**
 * Counts the opened rows that were not seen before; parts of one row, which is opened with each of them, count once.
 */
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

/** What to do with a row or part, and the row that a part belongs to. */
type Choice = RedriveChoice & Pick<RowRecord, 'partOf'>;

/**
 * Yields the actions of a draft. Rows that make voices come last: with such a row the ledger opens the rows that wait
 * for its voice, and their own actions, such as edits, would then come too late.
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
