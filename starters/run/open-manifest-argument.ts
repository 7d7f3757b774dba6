import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import { ledgerBeside, openTyped as openManifest, type OpenedManifest } from '../../client/run/open-manifest.ts';
import type { Settings } from '../../client/settings.ts';
import { fileWord, shellWord } from '../../contract/shell-word.ts';
import type { Flags } from '../commands/flags.ts';
import { ExitError } from '../exit-error.ts';
import type { Output } from '../terminal/output.ts';

/**
 * Opens the manifest at the path that the user typed. Throws {@link ExitError} `usage` if that is an outcome file, such
 * as `failed.csv`, which is gone because no row of the batch has that outcome any more: voxbatch suggests such
 * commands, so "file not found" would mislead. Throws `ManifestError` if the manifest cannot be read.
 */
export async function openManifestArgument(
  path: string,
  { sheet }: Pick<Flags, 'sheet'>,
): Promise<Extract<OpenedManifest, { readonly type: 'open' }>['source']> {
  const opened = await openManifest(path, { sheet });
  if (opened.type === 'open') return opened.source;
  const next = `voxbatch status ${shellWord(opened.batch)}`;
  throw new ExitError(
    'usage',
    `Batch "${opened.batch}" has no ${opened.outcome} rows any more, so there is no ${path}. Nothing was sent. Nothing was spent. To look at the batch: ${next}`,
    { next },
  );
}

/**
 * Warns if a batch is about to begin in the working folder's ledger although there is a ledger beside the manifest, in
 * which its rows may have been paid for.
 *
 * @param manifest as typed
 * @param words the command before the manifest, such as `['run']`
 * @param isUnknown true once the working folder's ledger is known to have no such batch. Default: warn only if the
 *   working folder has no ledger
 */
export function warnOfLedgerBeside(
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

/** Warns if a batch for a cluster is about to begin in a new local ledger, because VOXBATCH_LEDGER is not set. */
export function warnOfNewLedger(
  { cluster, isLedgerNamed, ledger }: Pick<Settings, 'cluster' | 'isLedgerNamed' | 'ledger'>,
  { say }: Pick<Output, 'say'>,
): void {
  if (cluster === undefined || isLedgerNamed || existsSync(ledger)) return;
  say(
    `Warning: there is no ledger here yet, so a new one begins: ${ledger}. It does not know what was paid for elsewhere, and pays for it again. ` +
      'The ledger of a cluster is named by VOXBATCH_LEDGER, which is not set.',
  );
}
