import { ApplicationFailure } from '@temporalio/common';
import * as z from 'zod';
import type { Activities } from '../contract/activities.ts';

/**
 * The door of the activities: whoever reaches Temporal can schedule any of them with any arguments. What is no good is refused for good, and what is
 * more than an activity asks for is not looked at: histories of earlier versions carry what a schedule runs and where its files go.
 */

/** Workers of one batch, and so its lanes, are fewer. */
const MOST_LANES = 1_000;
/** Names of batches and schedules are shorter, and so are ids of Temporal's runs. */
const LONGEST_NAME = 1_000;
/** As far as `Date` goes either way, ms. */
const LAST_TIME_MS = 8.64e15;

const name = z.string().min(1).max(LONGEST_NAME);
const lane = z.int().min(1).max(MOST_LANES);
const waitedMs = z.number().nonnegative().max(LAST_TIME_MS).default(0);

const SCHEMAS = {
  surveyBatch: name,
  stopBatch: name,
  workLane: z.object({ batch: name, lane, lanes: lane, run: name }).refine((offer) => offer.lane <= offer.lanes),
  openOccurrence: z.object({ schedule: name, at: z.int().min(0).max(LAST_TIME_MS).multipleOf(1_000), waitedMs }),
  // Earlier versions named the folder beside the batch.
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
