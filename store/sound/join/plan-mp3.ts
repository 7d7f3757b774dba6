import { eachFrame, type PlacedFrame } from '../../containers/frames.ts';
import { readBits, readMpegFrame, sideLayout, type MpegFrame } from '../../containers/mpeg-frame.ts';
import { UnfitBody } from '../../store.ts';
import { withFile } from './new-file.ts';
import type { JoinPart } from './join-request.ts';
import { planAlike, type JoinPlan } from './plan-alike.ts';

/** How many frames lie between two places that are noted, so that players can find a time. */
export const FRAMES_A_MARK = 32;

/** Frames that follow each other without anything between them. */
export interface Run {
  readonly start: number;
  end: number;
}

/** The frames of a file that go into a joined one. */
export interface Mp3Part extends JoinPart {
  readonly frames: number;
  /** Bytes of all frames. */
  readonly bytes: number;
  readonly runs: readonly Run[];
  /** Frames at its start that need data from before it, which is not there: offset in the file. */
  readonly orphans: readonly number[];
  /** Bytes of frames before every {@link FRAMES_A_MARK}th one. */
  readonly marks: readonly number[];
  /** Header of its first frame. */
  readonly head: Buffer;
  readonly first: MpegFrame;
  /** Whether all frames have the same size, but for padding. */
  readonly isConstant: boolean;
}

/** Finds out whether MP3 files have one rate and number of channels, and which frames of them are sound. */
export function planMp3(parts: readonly JoinPart[]): Promise<JoinPlan<Mp3Part>> {
  return planAlike(parts, readPart, ({ first }) => describe(first));
}

function describe({ header }: MpegFrame): string {
  return `${header.rate} Hz, ${header.isMono ? '1 channel' : '2 channels'}, layer ${header.layer}`;
}

async function readPart(part: JoinPart): Promise<Mp3Part | string> {
  const walk = new PartWalk();
  try {
    await withFile(part.path, (file) =>
      eachFrame({ file, extension: 'mp3', family: 'audio' }, readMpegFrame, (placed) => {
        walk.add(placed);
      }),
    );
  } catch (error) {
    if (error instanceof UnfitBody) return `is damaged (${error.message})`;
    throw error;
  }
  return walk.end(part);
}

class PartWalk {
  readonly #runs: Run[] = [];
  readonly #orphans: number[] = [];
  readonly #marks: number[] = [];
  #head: Buffer | undefined;
  #first: MpegFrame | undefined;
  #frames = 0;
  #bytes = 0;
  #isUniform = true;
  #isConstant = true;
  /** Bytes of main data that later frames may still refer to. */
  #reservoir = 0;

  add({ at, head, frame }: PlacedFrame<MpegFrame>): void {
    // Such a frame has no sound, and what it says of its file is not true of the joined one.
    if (frame.info !== undefined) return;
    if (this.#first === undefined) {
      this.#first = frame;
      this.#head = Buffer.from(head.subarray(0, 4));
    }
    this.#isUniform &&= describe(frame) === describe(this.#first);
    this.#isConstant &&= Math.abs(frame.size - this.#first.size) <= 1;
    if (this.#frames % FRAMES_A_MARK === 0) this.#marks.push(this.#bytes);
    this.#noteReservoir(at, head, frame);
    this.#frames += 1;
    this.#bytes += frame.size;
    const last = this.#runs.at(-1);
    if (last?.end === at) last.end += frame.size;
    else this.#runs.push({ start: at, end: at + frame.size });
  }

  /**
   * A frame may take data from frames before it. Of a file that was cut out of a longer one, the first frames refer to
   * what is not there.
   */
  #noteReservoir(at: number, head: Buffer, { header, size }: MpegFrame): void {
    const side = (header.hasChecksum ? 6 : 4) * 8;
    const before = readBits(head, side, header.isVersion1 ? 9 : 8);
    if (before > this.#reservoir) this.#orphans.push(at);
    this.#reservoir += size - side / 8 - sideLayout(header).bytes;
  }

  end(part: JoinPart): Mp3Part | string {
    if (this.#first === undefined || this.#head === undefined) return 'has no sound';
    if (!this.#isUniform) return 'changes its rate or its channels';
    if (this.#first.header.layer !== 3) return 'has an older coding than layer 3';
    return {
      ...part,
      frames: this.#frames,
      bytes: this.#bytes,
      runs: this.#runs,
      orphans: this.#orphans,
      marks: this.#marks,
      head: this.#head,
      first: this.#first,
      isConstant: this.#isConstant,
    };
  }
}
