import type { Pilot } from '../../batches/subset/pilot.ts';
import { viewExit, viewExitAfter, type ExitName } from '../../contract/exit-codes.ts';
import { viewMoney } from '../status/counts-view.ts';
import { budgetForSkipped } from '../status/next-steps.ts';
import type { Verified } from './verify.ts';
import type { FinishedBatch, WrittenFiles } from './write-files.ts';

/** Commands to run next, as text. */
interface NextCommands {
  /** Continues another take that this command has recorded. */
  readonly taken?: string | undefined;
  /** Continues with the rows that are left; see `stepAfter`. */
  readonly step?: string | undefined;
}

/**
 * Views the result of a command that worked on a batch, for `--json`. `detached`: the command left the work to others.
 */
export function viewEnd(
  finished: FinishedBatch,
  exit: ExitName,
  detached: boolean,
  { taken, step }: NextCommands = {},
) {
  const { batch, counts, money, pilot, out } = finished;
  const { budget, budgetLeft } = viewMoney(money, batch.settings.budget);
  return {
    ...{ batch: batch.name, ...(step === undefined ? {} : { next: step }), ...viewExitAfter(exit, taken) },
    ...{ outcomes: counts.outcomes, notChosen: counts.notChosen },
    ...{ credits: money, budget, budgetLeft, detached, halted: batch.halted, out },
    /** The budget that would cover the rows that it skipped; null if there are none, or their price is unknown. */
    budgetNeeded: budgetForSkipped(finished),
    /** What the rows that ran predict for those left out; null if none were, or the batch is not finished. */
    sample: pilot === undefined ? null : viewSample(pilot),
    ...viewMade(finished),
  };
}

/** Views the files that `results` wrote, for `--json`. */
export function viewResults(files: WrittenFiles) {
  const { batch, exit, counts, money, out, mismatches } = files;
  const sums = { batch: batch.name, ...viewExit(exit), outcomes: counts.outcomes, credits: money };
  return { ...sums, out, mismatches, ...viewMade(files) };
}

/** Views what `verify` found in an out folder and in the store, for `--json`. */
export function viewVerified({ report, inStore }: Verified) {
  const { folder, batch, rows, outcomes, unfinished, charged, media, edited, mismatches } = report;
  return {
    ...viewExit(mismatches.length > 0 ? 'mismatch' : 'complete'),
    ...{ out: folder, batch, rows, outcomes, unfinished, charged, media, edited, mismatches },
    damagedInStore: inStore?.damaged ?? [],
  };
}

/**
 * Views the files made for `--join`, `--finish…` and `--xlsx`, absent without these flags; and the path of the report,
 * or why it could not be written.
 */
function viewMade({
  joined,
  finished,
  workbook,
  report,
  reportProblem,
}: Pick<WrittenFiles, 'joined' | 'finished' | 'workbook' | 'report' | 'reportProblem'>) {
  const incomplete = joined?.flatMap(({ file, value, message }) => (file === '' ? [{ value, message }] : [])) ?? [];
  const failed = finished?.flatMap(({ file, original, message }) => (file === '' ? [{ original, message }] : [])) ?? [];
  return {
    ...(joined === null ? {} : { joined: { files: joined.length - incomplete.length, incomplete } }),
    ...(finished === null ? {} : { finished: { files: finished.length - failed.length, failed } }),
    ...(workbook === null ? {} : { xlsx: workbook }),
    ...(report === null ? {} : { report }),
    ...(reportProblem === null ? {} : { reportProblem }),
  };
}

/** Views what the rows that ran predict for those left out. */
export function viewSample({ rows, run, left, prices: { operations, rest }, charged, whole }: Pilot) {
  return { run, left, rows, operations: operations.map(viewPrice), rest, whole: { charged, ...whole } };
}

function viewPrice({ requests, unquoted, ...price }: Pilot['prices']['operations'][number]) {
  return {
    ...price,
    /** Requests whose price the API named; 0 if it names none. */
    pricedRequests: requests,
    unquoted: { pricedRequests: unquoted.requests, charged: unquoted.charged },
  };
}
