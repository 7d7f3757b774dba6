import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { dialectOption, withReadFlags } from '../commands/read-flags.ts';
import { withOutputFlags } from '../commands/output-flags.ts';
import { addSpeechFlags } from '../single/add-single.ts';
import { apiFieldOption } from '../single/api-field.ts';
import type { SpeechFlags } from '../single/say.ts';
import { addSingleFlags } from '../single/single-flags.ts';
import type { CreateFlags } from './create.ts';
import type { DeleteFlags } from './delete.ts';
import type { ListFlags, ShowFlags } from './look.ts';

/** Adds `voices` and what can be done with them. */
export function addVoiceCommands(program: Command, context: CommandContext): void {
  const voices = program
    .command('voices')
    .description("List and manage the account's voices")
    .addHelpText('after', '\nExample:\n  voxbatch voices list\n');
  addLooks(voices, context);
  addPaid(voices, context);
  withReadFlags(voices.command('delete'))
    .description('Delete a voice of the account for good, unless an open batch needs it; free')
    .argument('<voice>', 'Its id, or name: and its name, as in name:Ada')
    .addOption(dialectOption())
    .option('-y, --yes', 'Do not ask for confirmation')
    .addHelpText('after', '\nExample:\n  voxbatch voices delete name:Ada\n')
    .action(async (voice: string, flags: DeleteFlags) => {
      const { deleteVoice } = await import('./delete.ts');
      context.done(await deleteVoice(voice, flags, context.output));
    });
}

/** Adds what is paid for. */
function addPaid(voices: Command, context: CommandContext): void {
  addSpeechFlags(
    voices
      .command('preview')
      .description('Speak one text with a voice, as say does; paid')
      .argument('<voice>', 'Its id, or name: and its name, as in name:Ada'),
  )
    .addHelpText('after', '\nExample:\n  voxbatch voices preview name:Ada "Good morning." -o ada.mp3\n')
    .action(async (voice: string, text: string, flags: SpeechFlags) => {
      const { say } = await import('../single/say.ts');
      context.done(await say(text, { ...flags, voice }, withOutputFlags(context, flags), 'voices preview'));
    });
  addSingleFlags(
    voices
      .command('create')
      .description('Make a voice from recordings; prints its id; paid')
      .argument('[name]', 'What it is called; a lost answer is looked for by this name')
      .option('-n, --name <name>', 'The same as a flag')
      .option('--sample, --audio <file...>', 'A recording on this machine (wav, mp3, m4a, ogg, flac); repeatable')
      .option('--transcript <text>', 'What is said in the recordings')
      .option('--description <text>', 'Any text about the voice')
      .option('--visibility <who>', 'Who may use it: private or public')
      .option('--language <code>', 'Its language')
      .addOption(apiFieldOption()),
  )
    .addHelpText('after', '\nExample:\n  voxbatch voices create Ada --sample ada-1.wav --sample ada-2.wav\n')
    .action(async (name: string | undefined, flags: CreateFlags) => {
      const { createVoice } = await import('./create.ts');
      context.done(await createVoice(name, flags, withOutputFlags(context, flags)));
    });
}

/** Adds what only reads. */
function addLooks(voices: Command, { done, output }: CommandContext): void {
  withReadFlags(voices.command('list'))
    .description('List the voices that the account can use; free')
    .option('--search <words>', 'Only voices that match these words')
    .option('--provider <name>', 'Only voices of this provider')
    .addOption(dialectOption())
    .addHelpText('after', '\nExample:\n  voxbatch voices list --search anna --provider fishaudio\n')
    .action(async (flags: ListFlags) => {
      const { listVoices } = await import('./look.ts');
      done(await listVoices(flags, output));
    });
  withReadFlags(voices.command('show'))
    .description('Show what the API says of a voice, and which open batches need it; free')
    .argument('<voice>', 'Its id, or name: and its name, as in name:Ada')
    .addOption(dialectOption())
    .addHelpText('after', '\nExample:\n  voxbatch voices show name:Ada\n')
    .action(async (voice: string, flags: ShowFlags) => {
      const { showVoice } = await import('./look.ts');
      done(await showVoice(voice, flags, output));
    });
}
