import { FileWindow } from '../../store/containers/file-window.ts';
import { findWavSound } from '../../store/containers/wav-sound.ts';
import { inspect } from '../../store/inspect.ts';
import { SampleMeter } from '../../store/sound/sample-meter.ts';
import { MAX_SECONDS, UnfitBody } from '../../store/unfit.ts';
import { readSample } from '../../inputs/voices/read-sample.ts';
import { renderAudio } from '../../simulator/media/render-audio.ts';
import type { Chance } from '../chaos/seeded.ts';
import * as media from '../store/media.ts';
import { requireLength } from './finding.ts';
import { mutate, pick } from './mutate.ts';

/** Checks one damaged copy. */
export type Case = (chance: Chance) => Promise<void>;

/** Files of a kind, undamaged. */
type Files = readonly Buffer[];

/** Containers that our own code walks; damaged copies cost microseconds. */
export async function walkedMedia(): Promise<Case> {
  const sounds: Files = [
    ...[media.mp3(6), media.mp3WithXing(4), media.id3(media.mp3(3)), media.silentMp3(2)],
    ...[renderAudio('wav', 'melody', 0.02), media.wavOf(Buffer.alloc(800, 7), { coding: 3, bits: 32 })],
    media.standingMp4(),
  ];
  return async (chance) => {
    const body = mutate(pick(sounds, chance), chance, sounds);
    await check(body);
    await measure(body);
  };
}

/** Containers that a library reads, as results and as recordings. */
export async function indexedMedia(): Promise<Case> {
  const files: Files = [
    await media.mp4(1),
    await media.mp4WithIndexLast({ seconds: 1 }),
    await media.fragmentedMp4({ seconds: 1 }),
    await media.hungryM4a(),
  ];
  return async (chance) => {
    const body = mutate(pick(files, chance), chance, files);
    await check(body);
    const sample = await readSample('/fuzz', body);
    if ('seconds' in sample) requireLength('the length of a recording', sample.seconds, Number.MAX_SAFE_INTEGER);
  };
}

/** The one container whose library is known to hang. */
export async function matroska(): Promise<Case> {
  const files: Files = [await media.mkv({ seconds: 1 }), await media.hangingMkv()];
  return async (chance) => check(mutate(files[0] as Buffer, chance, files));
}

async function check(body: Buffer): Promise<void> {
  for (const family of ['audio', 'video'] as const) {
    try {
      const { seconds } = await inspect(FileWindow.ofBody(body), { family });
      requireLength('the length of a result', seconds, MAX_SECONDS);
    } catch (error) {
      if (!(error instanceof UnfitBody)) throw error;
    }
  }
}

/** The levels of WAV. */
async function measure(body: Buffer): Promise<void> {
  const window = FileWindow.ofBody(body);
  const sound = await findWavSound(window);
  const meter = sound?.format === undefined ? undefined : SampleMeter.of(sound.format);
  if (sound === undefined || meter === undefined) return;
  for await (const piece of window.pieces(sound.start, Math.min(body.length, sound.start + sound.bytes)))
    meter.add(piece);
  for (const [name, value] of Object.entries<number>({ ...meter.end() }))
    requireLength(name, value, Number.MAX_SAFE_INTEGER);
}
