import { toCharge } from '../records.ts';
import type { ChargeLine } from '../schema.ts';

/**
 * A copy of an earlier result whose file is lost. Its attempt is `cached`, and has no job; the request that made the result
 * has. While that job is read for the copy, the attempt is `accepted` with it, at no charge, so that it counts as a job that
 * runs wherever that matters. When the job has ended, it is a copy as before.
 */

/** What an attempt becomes while a job is read for it again. */
export function withJob(charge: ChargeLine): Partial<ChargeLine> {
  if (charge.state !== 'cached') return {};
  return { state: 'accepted', job_id: toCharge(charge).source?.jobId ?? null, charged: 0, charged_from: null };
}

/** What an attempt becomes when no job is read for it any more. */
export function withoutJob(charge: ChargeLine): Partial<ChargeLine> {
  if (charge.state !== 'accepted' || toCharge(charge).source?.is !== 'used') return {};
  return { state: 'cached', job_id: null, charged: null, charged_from: null, told: null };
}
