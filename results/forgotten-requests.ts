import { join } from 'node:path';
import * as z from 'zod';
import { hasResult, OUTCOMES, wasAccepted, type Outcome } from '../contract/outcomes.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowStanding } from '../ledger/record-types.ts';
import { RECEIPTS_JSONL } from './batch-files.ts';
import { lstatsOf, readJson } from './files.ts';
import { SUMMARY_FILE } from './names.ts';
import { isoTime, receiptSchema, type Receipt } from './receipt.ts';
import { readJsonRows, RowSource } from './row-source.ts';
import { summarySchema } from './summary.ts';
import { Findings } from './verification/mismatch.ts';

/** What says whether a folder was written from a newer state of the ledger. */
const standingSchema = z.object({
  ledger: z.string(),
  outcomes: summarySchema.shape.outcomes,
  accepted_copy: z.string().optional(),
});

/**
 * Rows, by id, with a paid request that an out folder of the batch has on its receipts, and the ledger not on record: the
 * ledger is older than the folder, as after a restore, and would pay for them again. No record of a request is ever removed,
 * so it is no other case. The receipts are read only if a copy was accepted since they were written, or the folder has more
 * results than the ledger.
 */
export async function forgottenRequests(
  out: string,
  batch: string,
  ledger: Pick<Ledger, 'id' | 'acceptedAt' | 'counts' | 'scanRows'>,
): Promise<readonly string[]> {
  const summary = standingSchema.safeParse(await readJson(join(out, SUMMARY_FILE))).data;
  if (summary?.ledger !== ledger.id) return [];
  const accepted = await ledger.acceptedAt();
  const isOfNow = summary.accepted_copy === (accepted === null ? undefined : isoTime(accepted));
  if (isOfNow && resultsIn(summary.outcomes) <= resultsIn((await ledger.counts(batch)).outcomes)) return [];
  const path = join(out, RECEIPTS_JSONL);
  if ((await lstatsOf(path))?.isFile() !== true) return [];
  const receipts = new RowSource(RECEIPTS_JSONL, readJsonRows(path, 'row', receiptSchema), new Findings());
  const rows: string[] = [];
  for await (const scanned of ledger.scanRows(batch)) {
    const paid = (await receipts.take(scanned.row.row)).filter(({ verdict }) => wasAccepted(verdict));
    if (!paid.every((receipt) => isOnRecord(receipt, scanned))) rows.push(scanned.row.id);
  }
  return rows;
}

function resultsIn(outcomes: Readonly<Record<Outcome, number>>): number {
  return OUTCOMES.filter(hasResult).reduce((sum, outcome) => sum + outcomes[outcome], 0);
}

/** Whether the ledger has this request, or, under another number, one that was made for the same. */
function isOnRecord({ part, step, take, attempt }: Receipt, { row, charges, firstPart }: RowStanding): boolean {
  const number = part === undefined || firstPart === undefined ? row.row : firstPart + part - 1;
  return charges.some(
    (one) =>
      one.row === number &&
      one.step === step &&
      one.take === take &&
      (one.attempt === attempt || !['not-accepted', 'revoked'].includes(one.state)),
  );
}
