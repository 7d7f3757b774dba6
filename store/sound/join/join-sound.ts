import { joinMp3 } from './join-mp3.ts';
import { CannotJoin, type JoinPart } from './join-parts.ts';
import { joinWav } from './join-wav.ts';

const JOINERS: Readonly<Record<string, (parts: readonly JoinPart[], out: string) => Promise<void>>> = {
  mp3: joinMp3,
  wav: joinWav,
};

/**
 * Joins WAV or MP3 files of one format into a new one, with pauses between them and chapters: undecoded, sample by
 * sample or frame by frame, to the same bytes each time. Keeps little of a file in memory. `out`: absolute path of the
 * new file; there must be none.
 *
 * Throws {@link CannotJoin} if the files do not fit together, `StoreUnwritable` if the disk refuses the file, and the
 * system's error if a part is missing. The caller cleans up partial output.
 */
export async function joinSound(parts: readonly JoinPart[], out: string): Promise<void> {
  const [first] = parts;
  if (first === undefined) throw new CannotJoin('Expected files to join, but there is none.');
  const types = [...new Set(parts.map(({ extension }) => extension))];
  if (types.length > 1)
    throw new CannotJoin(
      `Only files of one type can be joined, and these are ${types.join(' and ')}: the column "format", or --format, says which a row gets.`,
    );
  const join = JOINERS[first.extension];
  if (join === undefined) throw new CannotJoin(`Only WAV and MP3 files can be joined, and ${first.path} is neither.`);
  await join(parts, out);
}
