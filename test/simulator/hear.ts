import { MPEGDecoder } from 'mpg123-decoder';
import { createFile, type ISOFile, MP4BoxBuffer, type Sample } from 'mp4box';

/** What a decoder hears. */
export interface Heard {
  readonly seconds: number;
  /** Root mean square, 0 to 1. */
  readonly rms: number;
  readonly errors: number;
}

const CHUNK_BYTES = 1_048_576;

/** Decodes MP3 frames with mpg123. */
export async function hearMp3(bytes: Uint8Array): Promise<Heard> {
  const decoder = new MPEGDecoder();
  await decoder.ready;
  try {
    let [samples, seconds, squares, errors] = [0, 0, 0, 0];
    // Hours of sound take gigabytes if they are decoded at once.
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      const some = decoder.decode(bytes.subarray(at, at + CHUNK_BYTES));
      samples += some.samplesDecoded;
      seconds += some.samplesDecoded === 0 ? 0 : some.samplesDecoded / some.sampleRate;
      squares += squaresOf(some.channelData[0] ?? new Float32Array());
      errors += some.errors.length;
    }
    return { seconds, rms: Math.sqrt(squares / Math.max(samples, 1)), errors };
  } finally {
    decoder.free();
  }
}

/** Reads 16-bit mono PCM. */
export function hearPcm(bytes: Buffer, rate: number): Heard {
  const samples = Float32Array.from({ length: bytes.length / 2 }, (_, i) => bytes.readInt16LE(i * 2) / 32_768);
  return {
    seconds: samples.length / rate,
    rms: Math.sqrt(squaresOf(samples) / Math.max(samples.length, 1)),
    errors: 0,
  };
}

/** A demuxed track: what it says of itself, and its samples joined. */
export interface Track {
  readonly codec: string;
  readonly seconds: number;
  readonly samples: readonly Uint8Array[];
}

/** Takes an MP4 apart with mp4box: its tracks in order. */
export function demux(bytes: Buffer): Track[] {
  const file: ISOFile = createFile();
  const samplesOf = new Map<number, Uint8Array[]>();
  let tracks: Track[] = [];
  file.onError = (_module, message) => {
    throw new Error(message);
  };
  file.onSamples = (id: number, _user: unknown, samples: Sample[]) => {
    for (const { data } of samples) if (data !== undefined) samplesOf.get(id)?.push(new Uint8Array(data));
  };
  file.onReady = (movie) => {
    tracks = movie.tracks.map((track) => {
      const samples: Uint8Array[] = [];
      samplesOf.set(track.id, samples);
      file.setExtractionOptions(track.id);
      return { codec: track.codec, seconds: track.duration / track.timescale, samples };
    });
    file.start();
  };
  file.appendBuffer(MP4BoxBuffer.fromArrayBuffer(Uint8Array.from(bytes).buffer, 0));
  file.flush();
  return tracks;
}

function squaresOf(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return sum;
}
