import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { ledgerBeside, openTyped as open, type OpenedManifest } from '../../client/run/open-manifest.ts';
import type { Settings } from '../../client/settings.ts';
import { fileWord, shellWord } from '../../contract/shell-word.ts';
import type { Flags } from '../commands/flags.ts';
import { ExitError } from '../exit-error.ts';
import type { Output } from '../terminal/output.ts';

/**
 * Opens the manifest at the path that the user typed. Throws {@link ExitError} `usage` if that is an outcome file, such
 * as `failed.csv`, which is gone because no row of the batch has that outcome any more: messages of ours suggest
 * running it, so "file not found" would mislead. Throws `ManifestError` if the manifest cannot be read.
 */
export async function openTyped(
  path: string,
  { sheet }: Pick<Flags, 'sheet'>,
): Promise<Extract<OpenedManifest, { readonly type: 'open' }>['source']> {
  const opened = await open(path, { sheet });
  if (opened.type === 'open') return opened.source;
  const look = `voxbatch status ${shellWord(opened.batch)}`;
  throw new ExitError(
    'usage',
    `Batch "${opened.batch}" has no ${opened.outcome} rows any more, so there is no ${path}. Nothing was sent. Nothing was spent. To look at the batch: ${look}`,
    { next: look },
  );
}

/**
 * Warns that a ledger lies beside the manifest if a batch is about to begin with the working folder's ledger: its rows
 * may be paid for already in the other one.
 *
 * @param manifest as it was typed
 * @param words those of the command before it, such as `['run']`
 * @param isUnknown whether the ledger of this folder is known to have no such batch. Default: it is only looked for
 */
export function sayLedgerBeside(
  settings: Parameters<typeof ledgerBeside>[0],
  manifest: string,
  words: readonly string[],
  { say }: Pick<Output, 'say'>,
  isUnknown = false,
): void {
  const found = ledgerBeside(settings, manifest, isUnknown);
  if (found === undefined) return;
  const { folder, ledger, isHere } = found;
  const command = [...['voxbatch', ...words].map(shellWord), fileWord(basename(manifest))].join(' ');
  const here = isHere ? 'the one in this folder does not know this batch' : 'none in this folder';
  say(
    `Warning: there is a ledger beside the manifest (${ledger}), and ${here}. ${isHere ? 'It' : 'A new one here'} does not know what was paid for there, ` +
      `and pays for it again. To use that ledger: cd ${shellWord(folder)} && ${command}   (with the same flags)`,
  );
}

/**
 * Warns that a batch for a cluster's workers is about to begin in a new ledger, because nobody named the one that they
 * use.
 */
export function sayLedgerBegins(
  { cluster, isLedgerNamed, ledger }: Pick<Settings, 'cluster' | 'isLedgerNamed' | 'ledger'>,
  { say }: Pick<Output, 'say'>,
): void {
  if (cluster === undefined || isLedgerNamed || existsSync(ledger)) return;
  say(
    `Warning: there is no ledger here yet, so a new one begins: ${ledger}. It does not know what was paid for elsewhere, and pays for it again. ` +
      'The ledger of a cluster is named by VOXBATCH_LEDGER, which is not set.',
  );
}
