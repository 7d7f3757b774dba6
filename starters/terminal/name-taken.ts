import { dialectChoiceOf } from '../../contract/batch.ts';
import type { BatchDifference, TakenName } from '../../batches/load-batch.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { shellWord } from './go-on-command.ts';

/**
 * Says that another batch has the name, and what can be done about it. `commandAs`: the typed command with another
 * name.
 */
export function nameTakenText(
  { batch, differs, canRedrive }: TakenName,
  source: Pick<ManifestSource, 'path' | 'label'>,
  commandAs: (name: string) => string,
): string {
  return [
    `The name "${batch.name}" is taken by a batch that ${DIFFERENCE_WORDS[differs](batch)}. Nothing was spent. Choices:`,
    ...(canRedrive ? [redriveChoice(batch.name, source)] : []),
    `  ${commandAs('NEW-NAME')}    runs this manifest as a new batch, and pays for the rows without a result to reuse`,
    `  voxbatch status ${shellWord(batch.name)}    shows the batch with this name`,
  ].join('\n');
}

const DIFFERENCE_WORDS: Readonly<Record<BatchDifference, (batch: BatchRecord) => string>> = {
  api: ({ apiUrl }) => `ran against another API (${apiUrl})`,
  account: ({ account }) => `belongs to another account (${account})`,
  manifest: () => 'has another manifest',
  dialect: ({ settings }) => `speaks to the API with --api-dialect ${dialectChoiceOf(settings)}, for good`,
  reading: () => 'read the same manifest with other defaults (--kind, --voice, --map, --tts …)',
  'file-names': ({ settings }) => `names its files differently (--file-name ${settings.nameTemplate})`,
};

function redriveChoice(name: string, { path, label }: Pick<ManifestSource, 'path' | 'label'>): string {
  const isPiped = path !== label;
  const command = `voxbatch redrive ${shellWord(name)} --from ${isPiped ? '- < FILE' : shellWord(path)}`;
  return `  ${command}    pays only for edited rows and rows without a result (cannot add rows)`;
}
