import { eachFrame, readMpegFrame, sideLayout, type MpegFrame } from '../../containers/mpeg-frame.ts';
import { id3Chapters } from './chapters.ts';
import { chaptersOf, readAlike, type JoinPart } from './join-parts.ts';
import { NewFile, withFile } from './new-file.ts';
import { UnfitBody } from '../../unfit.ts';

/** A file's frames that go into the joined one. */
interface Mp3Part extends JoinPart {
  readonly frames: number;
  readonly bytes: number;
  /** Byte ranges of contiguous frames. */
  readonly runs: readonly { readonly start: number; end: number }[];
  /** The first four bytes of its first frame. */
  readonly head: Buffer;
  readonly first: MpegFrame;
  /** Whether all frames have the same size, but for padding. */
  readonly isConstant: boolean;
}

/**
 * Joins MP3 files of one rate and number of channels frame by frame, undecoded: nothing is lost, and the new file lasts
 * as long as all frames do. Tags and info frames of single files are dropped; a new info frame in front states the
 * length. Pauses are silent frames; rounding errors carry over to the next pause. Throws `CannotJoin`.
 */
export async function joinMp3(files: readonly JoinPart[], out: string): Promise<void> {
  const parts = await readAlike(files, readPart, ({ first }) => describe(first));
  const { head, first } = parts[0];
  const silence = silentFrame(head);
  // When each part starts, in seconds, and the silent frames after it.
  const starts: number[] = [];
  const pauses: number[] = [];
  let frames = 0;
  let bytes = 0;
  // Rounding error of the pauses so far, in frames.
  let owed = 0;
  for (const { pauseMs = 0, ...part } of parts) {
    starts.push(frames * first.seconds);
    owed += pauseMs / 1_000 / first.seconds;
    const pause = Math.max(0, Math.round(owed));
    owed -= pause;
    pauses.push(pause);
    frames += part.frames + pause;
    bytes += part.bytes + pause * silence.length;
  }
  const isConstant = parts.every((part) => part.isConstant && part.first.size === first.size);
  await NewFile.write(out, async (file) => {
    await file.append(id3Chapters(chaptersOf(parts, starts, frames * first.seconds)));
    await file.append(infoFrame(head, frames, bytes, isConstant));
    for (const [at, { path, runs }] of parts.entries()) {
      await withFile(path, async (source) => {
        for (const { start, end } of runs)
          for await (const piece of source.pieces(start, end)) await file.append(piece);
      });
      await file.repeat(silence, pauses[at] ?? 0);
    }
  });
}

/** Describes what must be the same in all files. */
function describe({ header }: MpegFrame): string {
  return `${header.rate} Hz, ${header.isMono ? '1 channel' : '2 channels'}, layer ${header.layer}`;
}

/** Walks a file. Returns its frames, or why it cannot be joined, as the end of a sentence. */
async function readPart(part: JoinPart): Promise<Mp3Part | string> {
  const runs: { readonly start: number; end: number }[] = [];
  let found: { readonly head: Buffer; readonly first: MpegFrame } | undefined;
  let frames = 0;
  let bytes = 0;
  let [isUniform, isConstant] = [true, true];
  try {
    await withFile(part.path, (file) =>
      eachFrame({ file, extension: 'mp3', family: 'audio' }, ({ at, head, frame }) => {
        // An info frame has no audio, and its figures are wrong for the joined file.
        if (frame.info !== undefined) return;
        found ??= { head: Buffer.from(head.subarray(0, 4)), first: frame };
        isUniform &&= describe(frame) === describe(found.first);
        isConstant &&= Math.abs(frame.size - found.first.size) <= 1;
        frames += 1;
        bytes += frame.size;
        const last = runs.at(-1);
        if (last?.end === at) last.end += frame.size;
        else runs.push({ start: at, end: at + frame.size });
      }),
    );
  } catch (error) {
    if (error instanceof UnfitBody) return `is damaged (${error.message})`;
    throw error;
  }
  if (found === undefined) return 'has no sound';
  if (!isUniform) return 'changes its rate or its channels';
  if (found.first.header.layer !== 3) return 'has an older coding than layer 3';
  return { ...part, frames, bytes, runs, isConstant, ...found };
}

/** Returns a frame of digital silence in the format of this frame header. */
function silentFrame(head: Buffer): Buffer {
  const bare = withoutChecksum(head);
  const frame = Buffer.alloc(readMpegFrame(bare)?.size ?? 0);
  bare.copy(frame);
  return frame;
}

/** Bytes of a `Xing` header: name, flags, frames, bytes. */
const INFO_BYTES = 16;

/**
 * Returns an info frame, which states the length of the following audio and holds none itself, in the format of this
 * frame header. It uses the lowest bit rate that has room for it and is not below the header's own.
 */
function infoFrame(head: Buffer, frames: number, bytes: number, isConstant: boolean): Buffer {
  const bare = withoutChecksum(head);
  for (let rate = bare.readUInt8(2) >> 4; rate < 15; rate += 1) {
    bare.writeUInt8((rate << 4) | (bare.readUInt8(2) & 15), 2);
    const found = readMpegFrame(bare);
    if (found === undefined) break;
    const at = 4 + sideLayout(found.header).bytes;
    if (found.size < at + INFO_BYTES) continue;
    const frame = Buffer.alloc(found.size);
    bare.copy(frame);
    frame.write(isConstant ? 'Info' : 'Xing', at, 'latin1');
    // Flags: frames and bytes are given; the bytes include this frame.
    frame.writeUInt32BE(3, at + 4);
    frame.writeUInt32BE(frames, at + 8);
    frame.writeUInt32BE(found.size + bytes, at + 12);
    return frame;
  }
  throw new Error('Expected a coding with a frame of 52 bytes, but it has none.');
}

/** Returns a copy of a frame header without checksum, padding and joint stereo. */
function withoutChecksum(head: Buffer): Buffer {
  const bare = Buffer.from(head.subarray(0, 4));
  bare.writeUInt8(bare.readUInt8(1) | 1, 1);
  bare.writeUInt8(bare.readUInt8(2) & 0xfd, 2);
  bare.writeUInt8(bare.readUInt8(3) & 0xcf, 3);
  return bare;
}
