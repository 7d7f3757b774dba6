/**
 * The API's limits for voice samples. Its documentation states none; these come from one public client, which may have
 * taken them from the API, so they are configurable (`samples` in the config file).
 */
export interface SampleLimits {
  /** Max files per voice. */
  readonly files: number;
  /** Largest file, in bytes. */
  readonly bytes: number;
  /** Max total length of a voice's recordings, in seconds. */
  readonly seconds: number;
}

export const SAMPLE_LIMITS: SampleLimits = { files: 5, bytes: 4_500_000, seconds: 60 };
