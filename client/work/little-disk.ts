import { freeSpace } from '../../store/open-store.ts';
import type { Settings } from '../settings.ts';

const MIB = 1024 ** 2;
/** A batch of a few thousand rows may take as much, in bytes. */
const LITTLE_BYTES = 100 * MIB;

/** Says so if there is little room for the records or the media. */
export async function warnOfLittleDisk(
  { home, store }: Pick<Settings, 'home' | 'store'>,
  say: (line: string) => void,
): Promise<void> {
  for (const folder of new Set([home, store])) {
    const free = await freeSpace(folder);
    if (free === null || free >= LITTLE_BYTES) continue;
    say(
      `Only ${String(Math.floor(free / MIB))} MiB are free for ${folder}. When the disk is full, the batch stops, and no answer is lost.`,
    );
    return;
  }
}
