import { LINE_HZ, NOTE_SECONDS } from './melody.ts';

/** Samples per second of all WAV and PCM output. */
export const WAV_RATE = 16_000;

/** 16-bit mono PCM of a melody: a sine per note, at a third of full scale. Without a melody: digital silence. */
export function encodePcm(melody: readonly number[] | null, seconds: number): Buffer {
  const samples = Math.round(seconds * WAV_RATE);
  const bytes = Buffer.alloc(samples * 2);
  if (melody === null) return bytes;
  let phase = 0;
  for (let i = 0; i < samples; i++) {
    const line = melody[Math.floor(i / WAV_RATE / NOTE_SECONDS)] ?? 10;
    phase += (2 * Math.PI * (line + 0.5) * LINE_HZ) / WAV_RATE;
    bytes.writeInt16LE(Math.round(Math.sin(phase) * 10_922), i * 2);
  }
  return bytes;
}

/** A WAV file (RIFF, format 1, 16-bit mono) of a melody. */
export function encodeWav(melody: readonly number[] | null, seconds: number): Buffer {
  return wavOf(encodePcm(melody, seconds));
}

/** A WAV file of digital silence. */
export function encodeSilence(seconds: number): Buffer {
  return encodeWav(null, seconds);
}

function wavOf(data: Buffer): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + data.length, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(WAV_RATE, 24);
  header.writeUInt32LE(WAV_RATE * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(data.length, 40);
  return Buffer.concat([header, data]);
}
