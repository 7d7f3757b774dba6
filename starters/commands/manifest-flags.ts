import type { Command } from 'commander';
import { DIALECT_FORMS } from '../../contract/dialects.ts';
import { FINISHED_FORMATS } from '../../contract/finishing.ts';
import { KINDS } from '../../contract/row-kinds.ts';
import type { TunableName } from '../../contract/tunables.ts';
import { collect, loudness, orNone, pause, positive } from './flag-values.ts';
import { addSubsetFlags } from './subset-flags.ts';
import { addTuningFlags } from './tuning-flags.ts';
import { verifyOption } from './verify-flag.ts';

/** Adds the flags for how a manifest is read. */
export function addReadingFlags(command: Command): Command {
  return addSubsetFlags(command)
    .option(
      '--file-name <template>',
      'Names of the result files, of {id}, {row}, {kind}, {ext} and columns (default: {id}.{ext})',
    )
    .option('--kind <kind>', `Default kind for rows without one: ${KINDS.join(', ')} (default: from the columns)`)
    .option('--voice <id>', 'Default voice for rows without one')
    .option('--engine <id>', 'Default engine for rows without one')
    .option('--format <format>', "Default audio format for rows without one (default: the API's, mp3)")
    .option('--language <code>', 'Default language for rows without one')
    .addOption(verifyOption('manifest'))
    .option('--map <ours=theirs>', 'Read a column from one with another name, such as text=script; repeatable', collect)
    .option(
      '--join <column>',
      'Put speech with one value in this column together into one file, media/joined/VALUE.EXT',
    )
    .option(
      '--pause <seconds>',
      'With --join: silence after each row without one in its pause column (default: 0)',
      pause,
    )
    .option(
      '--loudness <lufs>',
      'Make a copy of each speech result with this loudness (EBU R 128), media/finished/; needs ffmpeg, as the next three. For each: none, whatever the config file says',
      orNone(loudness),
    )
    .option('--trim-silence', 'Make copies without silence at the start and the end')
    .option('--no-trim-silence', 'Leave it, whatever the config file says')
    .option('--sample-rate <hz>', 'Make copies with so many samples a second', orNone(positive))
    .option('--sound-format <format>', `Make copies of this type: ${FINISHED_FORMATS.join(', ')}`)
    .option('--strict', 'Refuse unknown columns instead of copying them to the results')
    .option('--split <by>', 'Cut texts that are too long, and join their sound into one file: sentences, paragraphs')
    .option('--tts <mode>', 'Use speech jobs or the synchronous endpoint for tts rows: job, sync', 'job')
    .option('--api-dialect <dialect>', `Paths of the API that the rows use: ${DIALECT_FORMS} (default: v1)`);
}

/** Adds the flags for how a batch is worked on (all tunables, or some), and how its rows are priced. */
export function addPricingFlags(command: Command, tunables?: readonly TunableName[]): Command {
  return addTuningFlags(command, tunables)
    .option('--probe', 'Read the length of audio and video files that have no duration cell, to price them')
    .option('--assume-seconds <n>', 'Price audio and video of unknown length at this many seconds', positive);
}
