import { incomplete, CompleteButUnfit, type Container, type Unfitness } from '../unfit.ts';
import { findWavSound, isPlain, UNKNOWN_LENGTH, type WavFormat } from './wav-sound.ts';
import { SampleMeter } from '../sound/sample-meter.ts';

/**
 * Checks a WAV file against its own chunks. Returns its duration in seconds, if that can be derived. Throws `UnfitBody`
 * if its audio is cut off, `CompleteButUnfit` if it has no length, or is silent or clipped throughout. Without a stated
 * length, only a cut within a sample can be detected.
 */
export async function checkWav(container: Container): Promise<number | undefined> {
  const { file } = container;
  const sound = await findWavSound(file);
  if (sound === undefined) throw incomplete(container, 'it has no sound (data chunk)');
  const { format, start, bytes, isStated, seconds } = sound;
  if (format === undefined) throw incomplete(container, 'it does not say how its sound is coded');
  const there = file.bytes - start;
  if (bytes > there) throw incomplete(container, `its sound is ${bytes} bytes long, and only ${there} are there`);
  if (!isStated && there % format.block !== 0) {
    throw incomplete(container, `it ends within a sample of ${format.block} bytes`);
  }
  // After the sound come other chunks, such as texts. Some programs omit the last padding byte but count it.
  const declared = (await file.read(0, 8)).readUInt32LE(4) + 8;
  if (isStated && declared < UNKNOWN_LENGTH && declared > file.bytes + 1) {
    throw incomplete(container, `it says that it has ${declared} bytes, and only ${file.bytes} are there`);
  }
  if (isPlain(format) && format.rate === 0) throw new CompleteButUnfit('of no possible length');
  if (bytes < format.block) throw new CompleteButUnfit('without sound');
  const silence = silenceOf(format);
  if (silence !== undefined && (await isOnly(container, start, start + bytes, silence)))
    throw new CompleteButUnfit('silent', seconds);
  const unfit = await unfitSamples(file.pieces(start, start + bytes), format);
  if (unfit !== undefined) throw new CompleteButUnfit(unfit, seconds);
  return seconds;
}

/** Returns the byte that encodes digital silence; undefined for codings without a unique one. */
function silenceOf(format: WavFormat): number | undefined {
  if (!isPlain(format)) return undefined;
  return format.bits === 8 ? 0x80 : 0;
}

/**
 * Checks raw audio, which is only samples: throws `CompleteButUnfit` if all bytes are zero. In unsigned 8-bit audio
 * and telephone codings silence is not zero, so it is not detected there; any first byte is legal.
 */
export async function checkRaw(container: Container): Promise<undefined> {
  if (await isOnly(container, 0, container.file.bytes, 0)) throw new CompleteButUnfit('silent');
}

/** Whether this range repeats a single byte; stops reading at the first other byte. */
async function isOnly({ file }: Container, start: number, end: number, byte: number): Promise<boolean> {
  let same = Buffer.alloc(0);
  for await (const piece of file.pieces(start, end)) {
    if (same.length < piece.length) same = Buffer.alloc(piece.length, byte);
    if (!piece.equals(same.subarray(0, piece.length))) return false;
  }
  return true;
}

/**
 * Max share of clipped samples. Speech at four times its usual level stays below it; noise and broken encoding do not.
 */
const MAX_CLIPPED = 1 / 2;
/** Bytes to measure between checks: a quarter of a second of most speech. */
const STEP_BYTES = 8_192;

/**
 * Detects plain samples that are inaudible or mostly clipped. Stops at the first good sound, so a good file costs next
 * to nothing. Undefined for a good file, or if the samples are not plain.
 */
export async function unfitSamples(pieces: AsyncIterable<Buffer>, format: WavFormat): Promise<Unfitness | undefined> {
  const meter = SampleMeter.of(format);
  if (meter === undefined) return undefined;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += STEP_BYTES) {
      meter.add(piece.subarray(at, at + STEP_BYTES));
      if (meter.hasSound && meter.clippedShare <= MAX_CLIPPED) return undefined;
    }
  }
  meter.end();
  if (!meter.hasSound) return 'silent';
  return meter.clippedShare > MAX_CLIPPED ? 'clipped throughout' : undefined;
}
