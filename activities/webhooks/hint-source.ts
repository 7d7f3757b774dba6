/** Something that listens for webhooks and says which jobs they mention. */
export interface HintSource {
  /**
   * Says once when a webhook mentions this job. One that came up to {@link UNHEARD_MS} before the first call for a job
   * counts, too. Call it again for the next one.
   */
  listenFor(jobId: string): void;
  /** Says nothing more of this job. */
  forget(jobId: string): void;
}
