import { Option, type Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { apiFieldOption } from './api-field.ts';
import { withOutputFlags } from '../commands/output-flags.ts';
import { verifyOption } from '../commands/verify-flag.ts';
import type { LipSyncFlags } from './lip-sync.ts';
import { SPLIT_MODES } from '../../contract/split-modes.ts';
import type { SayFlags } from './say.ts';
import { addSingleFlags } from './single-flags.ts';
import type { TranscribeFlags } from './transcribe.ts';

/** Adds the flags for where the result goes. */
function addTargetFlags(command: Command, what: string): Command {
  return command
    .option('-o, --out <file>', what)
    .option('--force', 'Overwrite the file of -o')
    .addOption(apiFieldOption());
}

/** Adds the flags of every command that speaks one text, and the text. */
export function addSpeechFlags(command: Command): Command {
  return addSingleFlags(
    addTargetFlags(
      command.argument('<text>', 'Text to speak, or - for standard input (UTF-8, at most 1 MB)'),
      'File, folder, or - for stdout (default: say-<digest>.<format> here); its extension is the format',
    )
      .option('--engine <id>', 'Engine')
      .option('--format <format>', "Audio format (default: that of -o, else the API's, mp3)")
      .option('--speed <n>', 'Speaking rate, 0.5 to 2')
      .option('--language <code>', 'Language')
      .addOption(verifyOption('text'))
      .addOption(
        new Option('--split <by>', 'Cut a text that is too long, and join its sound into one file').choices([
          ...SPLIT_MODES,
        ]),
      )
      .addOption(
        new Option('--tts <mode>', 'Use a speech job or the synchronous endpoint')
          .choices(['job', 'sync'])
          .default('job'),
      ),
  );
}

/** Adds `say`, `transcribe` and `lip-sync`. */
export function addSingleCommands(program: Command, context: CommandContext): void {
  addSpeechFlags(
    program
      .command('say')
      .description('Speak one text; writes the audio file, and continues where the same command was cut off'),
  )
    .option('--voice <id>', 'Voice')
    .addHelpText('after', '\nExample:\n  voxbatch say "Good morning." --voice anna -o - | player\n')
    .action(async (text: string, flags: SayFlags) => {
      const { say } = await import('./say.ts');
      context.done(await say(text, flags, withOutputFlags(context, flags)));
    });
  addSingleFlags(
    addTargetFlags(
      program
        .command('transcribe')
        .description('Transcribe one recording; prints the text')
        .argument('<audio>', 'URL of the recording, which the API fetches'),
      'File that ends in .txt, .srt or .vtt, instead of stdout',
    ).option('--language <code>', 'Language'),
  )
    .addHelpText('after', '\nExample:\n  voxbatch transcribe https://media.example/talk.mp3 -o talk.srt\n')
    .action(async (audio: string, flags: TranscribeFlags) => {
      const { transcribe } = await import('./transcribe.ts');
      context.done(await transcribe(audio, flags, withOutputFlags(context, flags)));
    });
  addSingleFlags(
    addTargetFlags(
      program
        .command('lip-sync')
        .description('Make the mouth of one video move to an audio track; writes the video file')
        .argument('<video>', 'URL of the video, which the API fetches')
        .argument('<audio>', 'URL of the audio track, which the API fetches'),
      'File, folder, or - for stdout (default: lip-sync-<digest>.mp4 here)',
    ),
  )
    .addHelpText(
      'after',
      '\nExample:\n  voxbatch lip-sync https://media.example/face.mp4 https://media.example/line.mp3 -o out.mp4\n',
    )
    .action(async (video: string, audio: string, flags: LipSyncFlags) => {
      const { lipSync } = await import('./lip-sync.ts');
      context.done(await lipSync({ video, audio }, flags, withOutputFlags(context, flags)));
    });
}
