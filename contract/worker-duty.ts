/**
 * What a worker does. `submit`: everything up to the ends of jobs: it sends paid requests and reads their jobs.
 * `download`: it fetches the results of ended jobs, and sends no paid request.
 */
export const WORKER_DUTIES = ['submit', 'download'] as const;
export type WorkerDuty = (typeof WORKER_DUTIES)[number];

/** Lanes with numbers from here on are those of workers that only download; 1 is the first of the others. */
export const FIRST_DOWNLOAD_LANE = 1_001;

/** What a lane's worker must do. */
export function dutyOfLane(lane: number): WorkerDuty {
  return lane >= FIRST_DOWNLOAD_LANE ? 'download' : 'submit';
}
