import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { BatchSettings } from '../contract/batch.ts';
import { KernelLock } from '../embedded/kernel-lock.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import type { ManifestOptions } from '../inputs/manifest-reader.ts';
import { readManifest, type ManifestSummary } from '../inputs/read-manifest.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchIdentity, BatchRecord, NewRow } from '../ledger/record-types.ts';
import { ExitError } from './exit-error.ts';
import { shellWord } from './go-on-command.ts';

const ROWS_A_TRANSACTION = 500;

export interface LoadRequest {
  readonly ledger: Ledger;
  readonly source: ManifestSource;
  readonly options: ManifestOptions;
  readonly identity: BatchIdentity;
  readonly settings: BatchSettings;
  /** True if any option was given that changes what the rows mean; without one, those of before hold. */
  readonly givesReading: boolean;
  /** True if a template of file names was given; without one, that of before holds. */
  readonly givesTemplate: boolean;
  /** The command as it was typed, for advice: as it is, or with another name for the batch. */
  readonly commandAs?: (name: string) => string;
  /** What the check found; its digest proves that the same bytes are loaded. */
  readonly checked: ManifestSummary;
}

/**
 * The batch of this identity in the ledger: the one that is there, or a new one with all its rows. A batch of the same name
 * but another manifest, API or account is an error.
 *
 * Rows are written in several transactions, so that a large manifest does not hold the ledger from batches that run. Until
 * the last one the batch is `loading` and never starts. A kernel lock beside the ledger keeps two starts apart; a load that was killed is
 * removed and done again.
 */
export async function findOrLoadBatch(
  request: LoadRequest,
): Promise<{ readonly batch: BatchRecord; readonly isNew: boolean }> {
  const lock = new KernelLock(`${request.ledger.file}.loading`);
  try {
    while (!lock.tryAlone()) await sleep(50);
    const found = await request.ledger.findBatch(request.identity.name);
    if (found !== undefined && found.state !== 'loading') {
      refuseOther(found, request);
      return { batch: found, isNew: false };
    }
    await request.ledger.discardLoading(request.identity.name);
    return { batch: await load(request), isNew: true };
  } finally {
    lock.close();
  }
}

async function load(request: LoadRequest): Promise<BatchRecord> {
  const { ledger, identity, settings, checked, source } = request;
  const { columns } = checked;
  await ledger.createBatch({ ...identity, settings, columns, source: source.label });
  let count = 0;
  let rows: NewRow[] = [];
  for await (const { row, id, line, spec, input, quoted } of readManifest(source, request.options, checked)) {
    rows.push({ row, id, line, spec, input, quoted });
    count += 1;
    if (rows.length < ROWS_A_TRANSACTION) continue;
    await ledger.addRows(identity.name, rows);
    rows = [];
  }
  await ledger.addRows(identity.name, rows);
  await ledger.openBatch(identity.name, count);
  const batch = await ledger.findBatch(identity.name);
  if (batch === undefined) throw new Error(`Batch "${identity.name}" vanished from the ledger while it was loaded.`);
  return batch;
}

function refuseOther(found: BatchRecord, request: LoadRequest): void {
  const { identity: wanted, settings, givesReading, givesTemplate } = request;
  const differs =
    found.apiUrl !== wanted.apiUrl
      ? `ran against another API (${found.apiUrl})`
      : found.account !== wanted.account
        ? `belongs to another account (${found.account})`
        : found.digest !== wanted.digest
          ? 'has another manifest'
          : givesReading && !isDeepStrictEqual(found.settings.reading, settings.reading)
            ? 'read the same manifest with other defaults (--kind, --voice, --map, --tts …)'
            : givesTemplate && found.settings.nameTemplate !== settings.nameTemplate
              ? `names its files in another way (--name ${found.settings.nameTemplate})`
              : undefined;
  if (differs === undefined) return;
  const isEdited = found.apiUrl === wanted.apiUrl && found.account === wanted.account && found.digest !== wanted.digest;
  throw new ExitError(
    'usage',
    [
      `The name "${wanted.name}" is taken by a batch that ${differs}. Nothing was spent. Choices:`,
      ...(isEdited ? redriveChoice(request) : []),
      `  ${commandAs(request, 'NEW-NAME')}    runs this manifest as a batch of its own, all rows at full price`,
      `  voxbatch status ${shellWord(wanted.name)}    shows the batch that has the name`,
    ].join('\n'),
  );
}

function commandAs({ commandAs, source }: LoadRequest, name: string): string {
  return commandAs?.(name) ?? `voxbatch run ${shellWord(source.path)} --name ${name}`;
}

/** An edited manifest can be taken over, where its rows can be told: by ids of the user's own. */
function redriveChoice({ identity, source, options, checked }: LoadRequest): readonly string[] {
  if (!checked.columns.includes(options.map['id'] ?? 'id')) return [];
  const isPiped = source.path !== source.label;
  const file = isPiped ? '- < FILE' : shellWord(source.path);
  const command = `voxbatch redrive ${shellWord(identity.name)} --from ${file}`;
  return [`  ${command}    pays only for edited rows, and for those without a result (no row can be added)`];
}
