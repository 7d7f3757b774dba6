import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { fileWord, shellWord } from '../../contract/shell-word.ts';
import { pathsIn } from '../../embedded/home.ts';
import { isUrl } from '../../inputs/manifest-url.ts';
import type { Settings } from '../../client/settings.ts';
import type { Output } from '../terminal/output.ts';

/**
 * Warns before a batch is begun in the working folder although there is a ledger beside the manifest, where its rows may be paid for already.
 *
 * @param manifest as it was typed
 * @param words those of the command before it, such as `['run']`
 * @param isUnknown whether the ledger of this folder is known to have no such batch. Default: it is only looked for
 */
export function sayLedgerBeside(
  { ledger, isLedgerNamed }: Pick<Settings, 'ledger' | 'isLedgerNamed'>,
  manifest: string,
  words: readonly string[],
  { say }: Pick<Output, 'say'>,
  isUnknown = false,
): void {
  const isHere = existsSync(ledger);
  if (isLedgerNamed || isHere !== isUnknown || manifest === '-' || isUrl(manifest)) return;
  const folder = resolve(dirname(manifest));
  const beside = pathsIn(join(folder, '.voxbatch')).ledger;
  if (beside === resolve(ledger) || !existsSync(beside)) return;
  const command = [...['voxbatch', ...words].map(shellWord), fileWord(basename(manifest))].join(' ');
  const here = isHere ? 'the one in this folder does not know this batch' : 'none in this folder';
  say(
    `Warning: there is a ledger beside the manifest (${beside}), and ${here}. ${isHere ? 'It' : 'A new one here'} does not know what was paid for there, ` +
      `and pays for it again. To use that ledger: cd ${shellWord(folder)} && ${command}   (with the same flags)`,
  );
}
