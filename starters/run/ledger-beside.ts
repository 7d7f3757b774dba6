import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { shellWord } from '../../contract/shell-word.ts';
import { pathsIn } from '../../embedded/home.ts';
import { isUrl } from '../../inputs/manifest-url.ts';
import type { Settings } from '../../client/settings.ts';
import type { Output } from '../terminal/output.ts';

/**
 * Warns before a command begins a ledger in the working folder although there is one beside the manifest, where its rows may be paid for already.
 * `manifest`: as it was typed. `words`: those of the command before it, such as `['run']`.
 */
export function sayLedgerBeside(
  { ledger, isLedgerNamed }: Pick<Settings, 'ledger' | 'isLedgerNamed'>,
  manifest: string,
  words: readonly string[],
  { say }: Pick<Output, 'say'>,
): void {
  if (isLedgerNamed || existsSync(ledger) || manifest === '-' || isUrl(manifest)) return;
  const folder = resolve(dirname(manifest));
  const beside = pathsIn(join(folder, '.voxbatch')).ledger;
  if (!existsSync(beside)) return;
  const command = ['voxbatch', ...words, basename(manifest)].map(shellWord).join(' ');
  say(
    `Warning: there is a ledger beside the manifest (${beside}), and none in this folder. A new one here does not know what was paid for there, ` +
      `and pays for it again. To use that ledger: cd ${shellWord(folder)} && ${command}   (with the same flags)`,
  );
}
