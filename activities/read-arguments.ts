import { ApplicationFailure } from '@temporalio/common';
import * as z from 'zod';
import { dutyOfLane, FIRST_DOWNLOAD_LANE } from '../contract/worker-duty.ts';
import type { Activities } from '../contract/activities.ts';

/*
 * Validates activity arguments: anyone who can reach Temporal can schedule any activity with any arguments. Invalid
 * arguments are refused without retries. Extra members are ignored, because histories of earlier versions also carry a
 * schedule's run and output folder.
 */

/** Upper bound for a batch's lanes, which are at most as many as its workers. */
const MAX_LANES = 1_000;
/** Longer than any name of a batch or schedule, or id of a Temporal run. */
const MAX_NAME_LENGTH = 1_000;
/** Limit of `Date` in either direction, ms. */
const LAST_TIME_MS = 8.64e15;

const name = z.string().min(1).max(MAX_NAME_LENGTH);
const lanes = z.int().min(1).max(MAX_LANES);
const lane = z
  .int()
  .min(1)
  .max(FIRST_DOWNLOAD_LANE + MAX_LANES - 1);
/** How long the schedule's firing waited for a worker; earlier versions did not pass it. */
const waitedMs = z.number().nonnegative().max(LAST_TIME_MS).default(0);

/** Counts a lane among those of its kind, from 1: lanes that submit requests, or lanes that download results. */
function numberOf(laneNumber: number): number {
  return dutyOfLane(laneNumber) === 'submit' ? laneNumber : laneNumber - FIRST_DOWNLOAD_LANE + 1;
}

const SCHEMAS = {
  surveyBatch: name,
  stopBatch: name,
  // A batch has `lanes` lanes of each kind, so no lane of a kind has a higher number.
  workLane: z.object({ batch: name, lane, lanes, run: name }).refine((work) => numberOf(work.lane) <= work.lanes),
  openOccurrence: z.object({ schedule: name, at: z.int().min(0).max(LAST_TIME_MS).multipleOf(1_000), waitedMs }),
  // Earlier versions passed the folder along with the batch.
  awaitOccurrence: z.union([name, z.object({ batch: name }).transform(({ batch }) => batch)]),
} satisfies { readonly [Name in keyof Activities]: z.ZodType<Parameters<Activities[Name]>[0]> };

/** Reads the argument of an activity. Throws a failure that Temporal does not retry. */
export function readArgument<Name extends keyof Activities>(
  activity: Name,
  value: unknown,
): Parameters<Activities[Name]>[0] {
  const read = SCHEMAS[activity].safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const where = issue?.path.join('.') ?? '';
  const what = `${where === '' ? '' : `${where}: `}${issue?.message ?? 'it cannot be read'}`;
  throw ApplicationFailure.nonRetryable(`No ${activity} with this argument: ${what}. Nothing was sent.`, 'BadArgument');
}
