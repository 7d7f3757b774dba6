import { open, type FileHandle } from 'node:fs/promises';
import { FileWindow } from './containers/file-window.ts';
import { FRAME_HEAD_BYTES, id3Bytes, readMpegFrame } from './containers/mpeg-frame.ts';

/** A file to be joined with others. */
export interface SoundPart {
  /** Absolute. */
  readonly path: string;
  /** Its type, without a dot. */
  readonly extension: string;
}

/** The files cannot be joined. The message says why, for people. */
export class Unjoinable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Unjoinable';
  }
}

/** Bytes of the header of a WAV file. */
const WAV_HEADER_BYTES = 44;
const MOST_WAV_BYTES = 0xffff_ffff - WAV_HEADER_BYTES;

/** Joins sound files of one kind, one after the other, into a new file at this path. Throws {@link Unjoinable}. Streams: memory does not grow with them. */
export async function joinSound(parts: readonly SoundPart[], to: string): Promise<void> {
  const [extension = '', ...others] = new Set(parts.map((part) => part.extension));
  if (others.length > 0)
    throw new Unjoinable(`the parts are files of several types (${[extension, ...others].join(', ')})`);
  const join = JOINERS[extension];
  if (join === undefined) throw new Unjoinable(`${extension} files cannot be joined; wav and mp3 can (column format)`);
  const target = await open(to, 'wx');
  try {
    await join(parts, target);
  } finally {
    await target.close();
  }
}

type Joiner = (parts: readonly SoundPart[], target: FileHandle) => Promise<void>;

const JOINERS: Readonly<Record<string, Joiner | undefined>> = { wav: joinWav, mp3: joinMp3 };

async function joinWav(parts: readonly SoundPart[], target: FileHandle): Promise<void> {
  let format: Buffer | undefined;
  let bytes = 0;
  await target.write(Buffer.alloc(WAV_HEADER_BYTES), 0, WAV_HEADER_BYTES, 0);
  for (const part of parts) {
    await reading(part, async (file) => {
      const sound = await findSound(file);
      if (format !== undefined && !sound.format.equals(format)) throw new Unjoinable(DIFFER);
      format = sound.format;
      for await (const piece of file.pieces(sound.start, sound.end)) {
        await target.write(piece, 0, piece.length, WAV_HEADER_BYTES + bytes);
        bytes += piece.length;
        if (bytes > MOST_WAV_BYTES) throw new Unjoinable('together they are longer than a wav file can be (4 GiB)');
      }
    });
  }
  await target.write(wavHeader(format ?? Buffer.alloc(16), bytes), 0, WAV_HEADER_BYTES, 0);
}

const DIFFER = 'the parts differ in sample rate, channels or coding';

/** The sound of a WAV file, and the first 16 bytes of how it is coded. */
async function findSound(file: FileWindow): Promise<{ format: Buffer; start: number; end: number }> {
  let format: Buffer | undefined;
  for (let at = 12; at + 8 <= file.bytes;) {
    const header = await file.read(at, 8);
    const name = header.toString('latin1', 0, 4);
    const size = header.readUInt32LE(4);
    const start = at + 8;
    if (name === 'fmt ') format = Buffer.from(await file.read(start, 16));
    if (name === 'data' && format !== undefined) {
      const isStated = start + size <= file.bytes && size > 0;
      return { format, start, end: isStated ? start + size : file.bytes };
    }
    at = start + size + (size % 2);
  }
  throw new Unjoinable('one of the parts is no wav file that says how it is coded');
}

function wavHeader(format: Buffer, bytes: number): Buffer {
  const header = Buffer.alloc(WAV_HEADER_BYTES);
  header.write('RIFF', 0, 'latin1');
  header.writeUInt32LE(36 + bytes, 4);
  header.write('WAVEfmt ', 8, 'latin1');
  header.writeUInt32LE(16, 16);
  format.copy(header, 20, 0, 16);
  header.write('data', 36, 'latin1');
  header.writeUInt32LE(bytes, 40);
  return header;
}

/** Frames follow each other; the tags, and the frames that hold figures about one part, are left out. */
async function joinMp3(parts: readonly SoundPart[], target: FileHandle): Promise<void> {
  let coding: string | undefined;
  for (const part of parts) {
    await reading(part, async (file) => {
      for (let at = 0; at < file.bytes;) {
        const head = await file.read(at, FRAME_HEAD_BYTES);
        const frame = readMpegFrame(head);
        const size = frame?.size ?? (id3Bytes(head) || 128);
        if (frame !== undefined && frame.info === undefined) {
          // Version, layer and rate, and whether there is one channel.
          const own = `${(head[1] ?? 0) & 0xfe},${(head[2] ?? 0) & 0x0c},${(head[3] ?? 0) >> 6 === 3}`;
          if (coding !== undefined && own !== coding) throw new Unjoinable(DIFFER);
          coding = own;
          await target.write(await file.read(at, size));
        }
        at += size;
      }
    });
  }
}

async function reading(part: SoundPart, use: (file: FileWindow) => Promise<void>): Promise<void> {
  const file = await open(part.path, 'r');
  try {
    await use(FileWindow.ofFile(file, (await file.stat()).size));
  } finally {
    await file.close();
  }
}
