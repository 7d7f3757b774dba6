import { indexedMedia, matroska, walkedMedia, type Case } from './media-cases.ts';
import { schedules, settings } from './text-cases.ts';

/** What is fed with damaged input. */
interface Part {
  /** Of each thousand cases. */
  readonly share: number;
  readonly open: () => Promise<Case>;
  /** True: a hang is that of a library, which the deadline of its thread ends in the product. It is counted. */
  readonly mayHang?: boolean;
}

/** By the names that `--only` takes. */
export const PARTS: Readonly<Record<string, Part>> = {
  media: { share: 300, open: walkedMedia },
  'indexed-media': { share: 20, open: indexedMedia, mayHang: true },
  matroska: { share: 0.2, open: matroska, mayHang: true },
  settings: { share: 200, open: () => Promise.resolve(settings) },
  schedules: { share: 479.8, open: () => Promise.resolve(schedules) },
};

/** The part that a case belongs to: by its number, so that it is the same each time. */
export function partOf(number: number, only: string | undefined): string {
  if (only !== undefined) return only;
  // Every part is met early, and the rare ones again and again: a fixed stride over the shares.
  let place = (number * 618.034) % 1_000;
  for (const [name, { share }] of Object.entries(PARTS)) if ((place -= share) < 0) return name;
  return 'schedules';
}
