import type { WavFormat } from '../containers/wav-sound.ts';

/** Measurements of audio. Times are in seconds, to the millisecond. */
export interface Levels {
  readonly seconds: number;
  /** Highest sample: 1 is full scale. */
  readonly peak: number;
  readonly leadingSilence: number;
  readonly trailingSilence: number;
}

/** Sound below this root mean square counts as silence: -50 dB of full scale, well below the softest speech. */
export const SILENCE_RMS = 10 ** (-50 / 20);

/** Length of a measuring window, in seconds. */
const WINDOW_SECONDS = 0.02;
/** Samples from this level count as full scale, because encoders may round a little. */
const FULL_SCALE = 0.999;
/** Min run of full-scale samples that counts as clipping; a shorter run is just loud. */
const MIN_CLIPPED = 3;

/** Floating-point samples beyond this (60 dB above full scale) are damage. */
const MAX_VALUE = 1_000;

/** Returns the value of the sample at a byte offset, -1 to 1. */
type ReadSample = (bytes: Buffer, at: number) => number;

/** How uncompressed samples are read, by `coding/bits` of {@link WavFormat}. */
const READERS: Readonly<Record<string, ReadSample>> = {
  '1/8': (bytes, at) => (bytes.readUInt8(at) - 128) / 128,
  '1/16': (bytes, at) => bytes.readInt16LE(at) / 32_768,
  '1/24': (bytes, at) => bytes.readIntLE(at, 3) / 8_388_608,
  '1/32': (bytes, at) => bytes.readInt32LE(at) / 2_147_483_648,
  '3/32': (bytes, at) => clampSample(bytes.readFloatLE(at)),
  '3/64': (bytes, at) => clampSample(bytes.readDoubleLE(at)),
};

/** Floating-point samples may be infinite or NaN; NaN counts as silence. */
function clampSample(value: number): number {
  return Number.isNaN(value) ? 0 : Math.max(-MAX_VALUE, Math.min(MAX_VALUE, value));
}

/**
 * Measures duration, peak, silence and clipping of uncompressed samples in a stream, without keeping them. Call
 * {@link add} for each piece, then {@link end}. Silence is decided in windows of {@link WINDOW_SECONDS}.
 */
export class SampleMeter {
  readonly #format: WavFormat;
  readonly #read: ReadSample;
  readonly #sampleBytes: number;
  readonly #windowSamples: number;
  #seconds = 0;
  /** Leading silence in seconds; undefined until sound was found. */
  #leading: number | undefined;
  /** Silence at the end of what was added so far, in seconds. */
  #trailing = 0;
  /** Length of the present run of samples at full scale, per channel. */
  readonly #runs: number[];
  /** An incomplete sample at the end of the last piece. */
  #rest = Buffer.alloc(0);
  #peak = 0;
  /** Sum of squares, and number of samples, of the present window. */
  #windowSum = 0;
  #windowed = 0;
  /** Samples over all channels. */
  #samples = 0;
  #clipped = 0;

  private constructor(format: WavFormat, read: ReadSample) {
    this.#format = format;
    this.#read = read;
    this.#sampleBytes = format.block / format.channels;
    this.#windowSamples = Math.max(1, Math.round(format.rate * WINDOW_SECONDS)) * format.channels;
    this.#runs = Array.from({ length: format.channels }, () => 0);
  }

  /** Returns a meter for this format; undefined if its samples are compressed, or it is inconsistent. */
  static of(format: WavFormat): SampleMeter | undefined {
    const { coding, bits, channels, rate, block } = format;
    const read = READERS[`${coding}/${bits}`];
    return read === undefined || channels === 0 || rate === 0 || block !== (channels * bits) / 8
      ? undefined
      : new SampleMeter(format, read);
  }

  /** Whether any window so far was not silent. */
  get hasSound(): boolean {
    return this.#leading !== undefined;
  }

  /** Share of samples so far that are clipped. */
  get clippedShare(): number {
    return this.#clipped / Math.max(1, this.#samples);
  }

  /** Adds a piece of any size. */
  add(piece: Buffer): void {
    const bytes = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    const end = bytes.length - (bytes.length % this.#format.block);
    for (let at = 0; at < end; at += this.#sampleBytes) this.#addSample(this.#read(bytes, at));
    this.#rest = Buffer.from(bytes.subarray(end));
  }

  #addSample(value: number): void {
    const size = Math.abs(value);
    const channel = this.#samples % this.#format.channels;
    this.#samples += 1;
    if (size > this.#peak) this.#peak = size;
    if (size < FULL_SCALE) this.#runs[channel] = 0;
    else {
      const run = (this.#runs[channel] ?? 0) + 1;
      this.#runs[channel] = run;
      if (run >= MIN_CLIPPED) this.#clipped += run === MIN_CLIPPED ? MIN_CLIPPED : 1;
    }
    this.#windowSum += value * value;
    this.#windowed += 1;
    if (this.#windowed === this.#windowSamples) this.#endWindow();
  }

  #endWindow(): void {
    const { rate, channels } = this.#format;
    const seconds = this.#windowed / channels / rate;
    this.#seconds += seconds;
    if (this.#windowSum <= SILENCE_RMS ** 2 * this.#windowed) this.#trailing += seconds;
    else {
      this.#leading ??= this.#trailing;
      this.#trailing = 0;
    }
    this.#windowSum = 0;
    this.#windowed = 0;
  }

  /** Returns the measurements of all pieces. */
  end(): Levels {
    if (this.#windowed > 0) this.#endWindow();
    return {
      seconds: roundToMs(this.#seconds),
      peak: this.#peak,
      leadingSilence: roundToMs(this.#leading ?? this.#trailing),
      trailingSilence: roundToMs(this.#trailing),
    };
  }
}

/** Rounds away the floating-point error of long sums. */
function roundToMs(seconds: number): number {
  return Math.round(seconds * 1_000) / 1_000;
}
