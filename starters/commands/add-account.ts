import type { Command } from 'commander';
import type { CommandContext } from '../command-context.ts';
import { withReadFlags, type ReadFlags } from './read-flags.ts';

/** Adds `profile`. */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const account = withReadFlags(program.command('profile'))
    .description('Show the account of the token and its balance; free')
    .addHelpText('after', '\nExample:\n  voxbatch profile\n');
  addProfileSetters(account, context);
  account.action(async (flags: ReadFlags) => {
    const { profile } = await import('../account/profile.ts');
    context.done(await profile(flags, context.output));
  });
}

/** Adds `profile set` and `profile set-webhook`. */
function addProfileSetters(account: Command, { done, output }: CommandContext): void {
  withReadFlags(account.command('set <field=value...>'))
    .description('Change fields of the profile, and say what the API made of them; free')
    .addHelpText(
      'after',
      '\nA value that is JSON is sent as such (true, 5, null, "a text"), any other one as a text.\n' +
        '\nExample:\n  voxbatch profile set newsletter=false displayName=Anna\n',
    )
    .action(async (words: readonly string[], flags: ReadFlags) => {
      const { setProfile } = await import('../account/profile.ts');
      done(await setProfile(words, flags, output));
    });
  withReadFlags(account.command('set-webhook [url]'))
    .description("Set the address of the account's webhooks; free")
    .option('--clear', 'Take the address away, if the API has a way')
    .addHelpText('after', '\nExample:\n  voxbatch profile set-webhook https://example.org/hooks/long-secret\n')
    .action(async (url: string | undefined, flags: ReadFlags & { readonly clear?: boolean }) => {
      const { setWebhook } = await import('../account/profile.ts');
      done(await setWebhook(url, flags, output));
    });
}
