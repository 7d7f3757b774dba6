/**
 * What the API takes as samples of a voice. No page of the API's says so: these are the limits of one client, which may
 * have them from there. So they are a setting (`samples` in the config file).
 */
export interface SampleLimits {
  /** Most files of a voice. */
  readonly files: number;
  /** Largest file, in bytes. */
  readonly bytes: number;
  /** Longest recording of a voice, all its files together, in seconds. */
  readonly seconds: number;
}

export const SAMPLE_LIMITS: SampleLimits = { files: 5, bytes: 4_500_000, seconds: 60 };
