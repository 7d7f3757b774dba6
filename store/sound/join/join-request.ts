/** A file to be joined to others. */
export interface JoinPart {
  /** Absolute. */
  readonly path: string;
  /** Its type, without a dot. */
  readonly extension: string;
  /** Silence after it, in milliseconds. Default 0. */
  readonly pauseMs?: number | undefined;
  /** Title of the chapter that begins with it. Default: none begins. */
  readonly title?: string | undefined;
}

/** Files to join, in order. */
export interface JoinRequest {
  /** At least one. */
  readonly parts: readonly JoinPart[];
  /** Absolute path of the new file; there must be none. */
  readonly out: string;
  /** Absolute path of ffmpeg. Default: only files of one format, WAV or MP3, can be joined. */
  readonly ffmpeg?: string | undefined;
}

/** What came of it. */
export interface JoinedSound {
  /** Type of the new file, without a dot. */
  readonly extension: string;
  readonly seconds: number;
  /** When each part begins in it, in seconds. */
  readonly starts: readonly number[];
}

/** A chapter of a file, in milliseconds from its start. */
export interface Chapter {
  readonly title: string;
  readonly startMs: number;
  /** When the next one begins, or the file ends. */
  readonly endMs: number;
}

/** The files cannot be joined. The message names those that do not fit, and says what helps. */
export class CannotJoin extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'CannotJoin';
  }
}

/** The chapters of a joined file. */
export function chaptersOf(parts: readonly JoinPart[], { seconds, starts }: Omit<JoinedSound, 'extension'>): Chapter[] {
  const begun = parts.flatMap(({ title }, at) => (title === undefined ? [] : [{ title, start: starts[at] ?? 0 }]));
  return begun.map(({ title, start }, at) => ({
    title,
    startMs: Math.round(start * 1_000),
    endMs: Math.round((begun[at + 1]?.start ?? seconds) * 1_000),
  }));
}
