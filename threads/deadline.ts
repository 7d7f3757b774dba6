/** What a job may take however little it reads, s: a disk that is busy can take this long for one sync. */
const BASE_SECONDS = 30;
/** What the slowest disk or processor that we expect reads and checks in a second, bytes. */
const SLOW_BYTES = 1_000_000;

/** How long a job may take that reads so many bytes, s. */
export function deadlineSeconds(bytes: number): number {
  return BASE_SECONDS + Math.floor(bytes / SLOW_BYTES);
}
