import type { FileWindow } from '../../containers/file-window.ts';
import { FRAME_HEAD_BYTES, readMpegFrame } from '../../containers/mpeg-frame.ts';
import { id3Chapters } from './id3-chapters.ts';
import { CannotJoin, chaptersOf, type JoinedSound } from './join-request.ts';
import { mute, silentFrame, xingBytes, xingFrame } from './made-frames.ts';
import { NewFile, withFile } from './new-file.ts';
import { FRAMES_A_MARK, type Mp3Part } from './plan-mp3.ts';

/**
 * Joins MP3 files frame by frame, undecoded: nothing is lost, and the new file lasts as long as all frames do. Tags are
 * left out, and so are frames that describe a single file; a new one in front tells the length and where times are.
 * Pauses are frames of silence; what rounding takes from one is given to the next.
 */
export async function joinMp3(parts: readonly Mp3Part[], out: string): Promise<JoinedSound> {
  const [first] = parts;
  if (first === undefined) throw new CannotJoin('Expected files to join, but there is none.');
  const { head } = first;
  const frameSeconds = first.first.seconds;
  const silence = silentFrame(head);
  const { starts, pauses, frames, bytes, placeOf } = layOut(parts, frameSeconds, silence.length);
  const joined = { extension: 'mp3', seconds: frames * frameSeconds, starts: starts.map((at) => at * frameSeconds) };
  const lead = xingBytes(head);
  const contents = Array.from({ length: 100 }, (_, percent) =>
    Math.min(255, Math.floor(((lead + placeOf((percent / 100) * frames)) / (lead + bytes)) * 256)),
  );
  const isConstant = parts.every((part) => part.isConstant && part.first.size === first.first.size);
  await NewFile.write(out, async (file) => {
    await file.append(id3Chapters(chaptersOf(parts, joined)));
    await file.append(xingFrame(head, { frames, bytes: lead + bytes, contents, isConstant }));
    for (const [at, part] of parts.entries()) {
      await withFile(part.path, (source) => copyFrames(part, source, file));
      await file.repeat(silence, pauses[at] ?? 0);
    }
  });
  return joined;
}

/** Where everything goes, in frames and in bytes behind the first frame. */
interface Laid {
  /** Frames before each part. */
  readonly starts: readonly number[];
  /** Frames of silence after each part. */
  readonly pauses: readonly number[];
  readonly frames: number;
  readonly bytes: number;
  /** Where a frame is, in bytes; near enough. */
  readonly placeOf: (frame: number) => number;
}

function layOut(parts: readonly Mp3Part[], frameSeconds: number, silence: number): Laid {
  const places: { readonly frame: number; readonly byte: number }[] = [];
  const starts: number[] = [];
  const pauses: number[] = [];
  let frames = 0;
  let bytes = 0;
  let owed = 0;
  for (const { marks, pauseMs = 0, ...part } of parts) {
    starts.push(frames);
    for (const [at, byte] of marks.entries()) places.push({ frame: frames + at * FRAMES_A_MARK, byte: bytes + byte });
    owed += pauseMs / 1_000 / frameSeconds;
    const pause = Math.max(0, Math.round(owed));
    owed -= pause;
    pauses.push(pause);
    places.push({ frame: frames + part.frames, byte: bytes + part.bytes });
    frames += part.frames + pause;
    bytes += part.bytes + pause * silence;
  }
  places.push({ frame: frames, byte: bytes });
  return { starts, pauses, frames, bytes, placeOf: (frame) => placeOf(places, frame) };
}

/** Between two known places the bytes are taken to be even. */
function placeOf(places: readonly { frame: number; byte: number }[], frame: number): number {
  let from = 0;
  let to = places.length - 1;
  while (to - from > 1) {
    const middle = (from + to) >> 1;
    if ((places[middle]?.frame ?? 0) <= frame) from = middle;
    else to = middle;
  }
  const [low, high] = [places[from], places[to]];
  if (low === undefined || high === undefined || high.frame === low.frame) return low?.byte ?? 0;
  return low.byte + ((frame - low.frame) / (high.frame - low.frame)) * (high.byte - low.byte);
}

async function copyFrames({ runs, orphans }: Mp3Part, source: FileWindow, file: NewFile): Promise<void> {
  const muted = orphans.values();
  let next = muted.next().value;
  for (const { start, end } of runs) {
    let at = start;
    while (next !== undefined && next < end) {
      for await (const piece of source.pieces(at, next)) await file.append(piece);
      const head = Buffer.from(await source.read(next, FRAME_HEAD_BYTES));
      const frame = readMpegFrame(head);
      const size = Math.min(head.length, frame?.size ?? 0);
      if (frame !== undefined) mute(head, frame);
      await file.append(head.subarray(0, size));
      at = next + size;
      next = muted.next().value;
    }
    for await (const piece of source.pieces(at, end)) await file.append(piece);
  }
}
