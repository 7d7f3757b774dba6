import { FINISHED_FORMATS } from '../../contract/finishing.ts';
import { SPLIT_MODES } from '../../contract/row-parts.ts';
import { loudness, orNone, pause, positive, type Flag } from './flag-values.ts';

/** Flags for what becomes of speech once it is there. */
export const SOUND = {
  split: ['--split <by>', 'Cut texts that are too long, and join their sound into one file', SPLIT_MODES],
  join: ['--join <column>', 'Put speech with one value in this column together into one file, media/joined/VALUE.EXT'],
  pause: [
    '--pause <seconds>',
    'With --join: silence after each row without one in its pause column (default: 0)',
    pause,
  ],
  loudness: [
    '--loudness <lufs>',
    'Make a copy of each speech result with this loudness (EBU R 128), media/finished/; needs ffmpeg, as the next three. For each: none, whatever the config file says',
    orNone(loudness),
  ],
  trimSilence: ['--trim-silence', 'Make copies without silence at the start and the end'],
  noTrimSilence: ['--no-trim-silence', 'Leave it, whatever the config file says'],
  sampleRate: ['--sample-rate <hz>', 'Make copies with so many samples a second', orNone(positive)],
  soundFormat: ['--sound-format <format>', 'Make copies of this type', [...FINISHED_FORMATS, 'none']],
} as const satisfies Readonly<Record<string, Flag>>;
