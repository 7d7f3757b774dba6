/**
 * What a worker or a lane does. `submit`: sends paid requests and polls their jobs. `download`: fetches the results of
 * ended jobs, and sends no paid request.
 */
export const WORKER_DUTIES = ['submit', 'download'] as const;
/** A worker has both unless `--only` names one; a lane has exactly one. */
export type WorkerDuty = (typeof WORKER_DUTIES)[number];

/** Number of the first download lane; submit lanes are numbered from 1. */
export const FIRST_DOWNLOAD_LANE = 1_001;

/** Returns the duty of a lane. */
export function dutyOfLane(lane: number): WorkerDuty {
  return lane >= FIRST_DOWNLOAD_LANE ? 'download' : 'submit';
}
