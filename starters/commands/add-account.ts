import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import type { SetFlags } from '../account/set-profile.ts';
import type { VoicesFlags } from '../account/voices.ts';

/** Adds `voices list` and `profile`: what is free of charge about the account. */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const withReadFlags = (command: Command): Command =>
    command
      .option('--api-url <url>', 'API address (default: VOXBATCH_API_URL)')
      .option('--json', 'Print one line of JSON');
  const voices = program
    .command('voices')
    .description("List the account's voices")
    .addHelpText('after', '\nExample:\n  voxbatch voices list\n');
  withReadFlags(voices.command('list'))
    .description('List the voices that the account can use; free')
    .option('--search <words>', 'Only voices that match these words')
    .addHelpText('after', '\nExample:\n  voxbatch voices list --search anna\n')
    .action(async (flags: VoicesFlags) => {
      const { listVoices } = await import('../account/voices.ts');
      context.done(await listVoices(flags, context.output));
    });
  const account = withReadFlags(program.command('profile'))
    .description('Show the account of the token and its balance; free')
    .addHelpText('after', '\nExample:\n  voxbatch profile\n');
  addProfileSetters(account, withReadFlags, context);
  account.action(async (flags: { readonly json?: boolean; readonly apiUrl?: string }) => {
    const { profile } = await import('../account/profile.ts');
    context.done(await profile(flags, context.output));
  });
}

/** Adds `profile set` and `profile set-webhook`. */
function addProfileSetters(
  account: Command,
  withReadFlags: (command: Command) => Command,
  { done, output }: CommandContext,
): void {
  withReadFlags(account.command('set <field=value...>'))
    .description('Change fields of the profile, and say what the API made of them; free')
    .addHelpText(
      'after',
      '\nA value that is JSON is sent as such (true, 5, null, "a text"), any other one as a text.\n' +
        '\nExample:\n  voxbatch profile set newsletter=false displayName=Anna\n',
    )
    .action(async (words: readonly string[], flags: SetFlags) => {
      const { setProfile } = await import('../account/set-profile.ts');
      done(await setProfile(words, flags, output));
    });
  withReadFlags(account.command('set-webhook [url]'))
    .description("Set the address of the account's webhooks; free")
    .option('--clear', 'Take the address away, if the API has a way')
    .addHelpText('after', '\nExample:\n  voxbatch profile set-webhook https://example.org/hooks/long-secret\n')
    .action(async (url: string | undefined, flags: SetFlags & { readonly clear?: boolean }) => {
      const { setWebhook } = await import('../account/set-profile.ts');
      done(await setWebhook(url, flags, output));
    });
}
