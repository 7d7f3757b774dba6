import { StoreUnwritable } from '../../errors.ts';
import { FfmpegUnwritable } from '../ffmpeg.ts';
import { FFMPEG_ADVICE } from '../find-ffmpeg.ts';
import { joinByFfmpeg } from './join-by-ffmpeg.ts';
import { joinMp3 } from './join-mp3.ts';
import { CannotJoin, type JoinedSound, type JoinPart, type JoinRequest } from './join-request.ts';
import { joinWav } from './join-wav.ts';
import { planMp3 } from './plan-mp3.ts';
import { planWav } from './plan-wav.ts';

/**
 * Joins files into a new one, with pauses between them and chapters. WAV and MP3 files of one format are joined
 * undecoded, sample by sample or frame by frame, to the same bytes each time; anything else by ffmpeg, into the type
 * of the first one. Keeps little of a file in memory.
 *
 * Throws {@link CannotJoin} where that cannot be, `FfmpegFailed` if ffmpeg fails, `StoreUnwritable` if the disk does not
 * take it, and the system's error if a part is not there. What was written by then is left to the caller.
 */
export async function joinSound(request: JoinRequest): Promise<JoinedSound> {
  const { parts, out, ffmpeg } = request;
  const native = await planNative(parts);
  if (native.type === 'fits') return native.join(out);
  if (ffmpeg === undefined) throw new CannotJoin(`${native.why} ${FFMPEG_ADVICE}`);
  try {
    return await joinByFfmpeg(parts, out, ffmpeg);
  } catch (error) {
    throw error instanceof FfmpegUnwritable ? new StoreUnwritable(out, error) : error;
  }
}

type Native =
  | { readonly type: 'fits'; readonly join: (out: string) => Promise<JoinedSound> }
  | { readonly type: 'differs'; readonly why: string };

async function planNative(parts: readonly JoinPart[]): Promise<Native> {
  const [first] = parts;
  if (first === undefined) throw new CannotJoin('Expected files to join, but there is none.');
  const other = parts.find(({ extension }) => extension !== first.extension);
  if (other !== undefined) {
    const why = `${other.path} is of another type than ${first.path}.`;
    return { type: 'differs', why: `Only files of one type can be joined without ffmpeg, and ${why}` };
  }
  if (first.extension === 'mp3') {
    const plan = await planMp3(parts);
    return plan.type === 'fits' ? { type: 'fits', join: (out) => joinMp3(plan.parts, out) } : differs(plan);
  }
  if (first.extension === 'wav') {
    const plan = await planWav(parts);
    return plan.type === 'fits' ? { type: 'fits', join: (out) => joinWav(plan.parts, out) } : differs(plan);
  }
  return {
    type: 'differs',
    why: `Files of type ${first.extension}, such as ${first.path}, are joined by ffmpeg only.`,
  };
}

function differs({ part, what }: { part: JoinPart; what: string }): Native {
  return { type: 'differs', why: `Only files of one format can be joined without ffmpeg: ${part.path} ${what}.` };
}
