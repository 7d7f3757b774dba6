import * as z from 'zod';
import { isoTime } from '../contract/times.ts';
import { nameIn } from '../inputs/own-operations/own-operation-schema.ts';
import { DIALECTS } from '../contract/dialects.ts';
import { ATTEMPT_STATES, wasAccepted } from '../contract/outcomes.ts';
import { FAILURES } from '../contract/failures.ts';
import type { FailureClass } from '../contract/failures.ts';
import { dialectOf, resultStepOf, STEPS } from '../contract/row-kinds.ts';
import type { ChargeRecord } from '../ledger/requests/charge-records.ts';
import { inOrder } from './result-line.ts';
import type { RowFile, RowWithCharges } from './result-line.ts';

/** A file on a receipt. */
const receiptFile = z.object({
  /** Path below the out folder; null for an earlier step of a chain, which is not among the results. */
  name: z.string().nullable(),
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
});

/** The earlier result of an equal request, on a receipt. */
const receiptSource = z.object({
  /** `used`: replaced a request. `missing`, `altered`: its file was, so a request was made after all. */
  is: z.enum(['used', 'missing', 'altered']),
  batch: z.string(),
  row: z.number().int().positive(),
  step: nameIn(STEPS),
  take: z.number().int().positive(),
  attempt: z.number().int().positive(),
  job_id: z.string().nullable(),
  made_at: z.string(),
});

/**
 * A line of `receipts.jsonl`: one paid request, an earlier result in place of one, or a key that was revoked so that
 * nothing can be sent with it.
 */
export const receiptSchema = z.object({
  row: z.number().int().positive(),
  id: z.string(),
  /** The part of its text that was spoken, from 1; absent if the row is not split. */
  part: z.number().int().positive().exactOptional(),
  step: nameIn(STEPS),
  take: z.number().int().positive(),
  attempt: z.number().int().positive(),
  /** `sending` while the request is in flight. */
  verdict: z.enum(ATTEMPT_STATES),
  job_id: z.string().nullable(),
  /** The dialect of the API that the request used. */
  api_dialect: z.enum(DIALECTS).default('v1'),
  /** Our own price for it, in credits; null if unknown. */
  quoted: z.number().nullable(),
  /** The charge in credits; null if nothing was charged or the charge is unknown. */
  charged: z.number().nullable(),
  charged_from: z.enum(['api', 'quote']).nullable(),
  /** Times are ISO 8601 in UTC. */
  intent_at: z.string(),
  verdict_at: z.string().nullable(),
  finished_at: z.string().nullable(),
  request_id: z.string().nullable(),
  error_class: z.enum(Object.keys(FAILURES) as [FailureClass, ...FailureClass[]]).nullable(),
  file: receiptFile.nullable(),
  /** The earlier result that was used, or could not be; null without one. */
  source: receiptSource.nullable().default(null),
  /** Files beside the result: subtitles of a transcript. */
  extra_files: z.array(receiptFile),
});

/** The record of one paid request, a line of `receipts.jsonl`. */
export type Receipt = z.infer<typeof receiptSchema>;

/**
 * Returns the receipts of a row, in order of part, step, take and attempt. `files`: the row's files, its result first.
 */
export function receiptsOf(scanned: RowWithCharges, files: readonly RowFile[]): Receipt[] {
  const charges = inOrder(scanned);
  const paidFor = chargeOfResult(scanned, charges);
  return charges.map((charge) => ({
    row: scanned.row.row,
    id: scanned.row.id,
    ...(scanned.firstPart === undefined ? {} : { part: charge.row - scanned.firstPart + 1 }),
    step: charge.step,
    take: charge.take,
    attempt: charge.attempt,
    verdict: charge.state,
    job_id: charge.jobId,
    api_dialect: dialectOf(scanned.row.spec),
    quoted: charge.quoted,
    charged: charge.charged,
    charged_from: charge.chargedFrom,
    intent_at: isoTime(charge.intentAt),
    verdict_at: charge.verdictAt === null ? null : isoTime(charge.verdictAt),
    finished_at: charge.finishedAt === null ? null : isoTime(charge.finishedAt),
    request_id: charge.requestId,
    error_class: charge.failure?.class ?? null,
    source: sourceOf(charge),
    ...(charge === paidFor && files.length > 0 ? fileFields(files) : ownFile(charge)),
  }));
}

/**
 * Returns the charge that paid for the row's result: the one with that file, otherwise the last accepted one of the
 * last step.
 */
function chargeOfResult(
  { row, firstPart }: RowWithCharges,
  charges: readonly ChargeRecord[],
): ChargeRecord | undefined {
  if (row.file === null) return undefined;
  const { key } = row.file;
  const lastStep = resultStepOf(row);
  return (
    charges.findLast((charge) => charge.file?.key === key) ??
    charges.findLast((charge) => charge.step === lastStep && wasAccepted(charge.state)) ??
    // For a row with parts that all existed already.
    (firstPart === undefined ? undefined : charges.at(-1))
  );
}

function sourceOf({ source }: ChargeRecord): Receipt['source'] {
  if (source === null) return null;
  const { batch, row, step, take, attempt } = source.from;
  return { is: source.is, batch, row, step, take, attempt, job_id: source.jobId, made_at: isoTime(source.madeAt) };
}

function fileFields(files: readonly RowFile[]): Pick<Receipt, 'file' | 'extra_files'> {
  const [file, ...extra] = files.map(({ name, file: { bytes, sha256 } }) => ({ name, bytes, sha256 }));
  return { file: file ?? null, extra_files: extra };
}

function ownFile({ file }: ChargeRecord): Pick<Receipt, 'file' | 'extra_files'> {
  return {
    file: file === null ? null : { name: null, bytes: file.bytes, sha256: file.sha256 },
    extra_files: [],
  };
}
