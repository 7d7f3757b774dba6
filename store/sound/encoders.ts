/** How ffmpeg writes a type of file. */
export interface Encoder {
  /** Of the new file, without a dot. */
  readonly extension: string;
  /** ffmpeg's name of the container, where it keeps chapters; null where it does not. */
  readonly muxer: string | null;
  /** What makes it write this type, the same bytes each time. */
  readonly args: readonly string[];
}

const ENCODERS = {
  mp3: encoder('mp3', 'mp3', ['-c:a', 'libmp3lame', '-b:a', '128k']),
  wav: { ...encoder('wav', 'wav', ['-c:a', 'pcm_s16le']), muxer: null },
  flac: { ...encoder('flac', 'flac', ['-c:a', 'flac']), muxer: null },
  ogg: encoder('ogg', 'ogg', ['-c:a', 'libopus', '-b:a', '64k']),
  webm: encoder('webm', 'webm', ['-c:a', 'libopus', '-b:a', '64k']),
  m4a: encoder('m4a', 'ipod', ['-c:a', 'aac', '-b:a', '128k', '-movflags', '+faststart']),
  aac: { ...encoder('aac', 'adts', ['-c:a', 'aac', '-b:a', '128k']), muxer: null },
} as const;

/** Types whose sound goes into another one. */
const INSTEAD: Readonly<Record<string, keyof typeof ENCODERS>> = { mp4: 'm4a', mov: 'm4a', mkv: 'm4a' };

/** How to write sound into a file of this type; undefined for a type that ffmpeg is not asked for. */
export function encoderOf(extension: string): Encoder | undefined {
  const name = INSTEAD[extension] ?? extension;
  return name in ENCODERS ? ENCODERS[name as keyof typeof ENCODERS] : undefined;
}

function encoder(extension: string, muxer: string, args: readonly string[]): Encoder {
  return { extension, muxer, args: ['-vn', ...args, '-bitexact', '-f', muxer] };
}
