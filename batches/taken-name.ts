import { legacyShareOf, type BatchSettings, type Reading } from '../contract/batch.ts';
import { realmDifference } from '../contract/names.ts';
import type { Subset } from '../contract/subset.ts';
import { headerFor } from '../inputs/header-names.ts';
import type { ManifestOptions } from '../inputs/manifest-options.ts';
import { type ManifestSummary, readManifest } from '../inputs/read-manifest.ts';
import type { VoiceMaker } from '../inputs/voices/voice-uses.ts';
import type { BatchIdentity, BatchRecord } from '../ledger/batches/batch-records.ts';
import { isSameCast, isSameReading } from './batch-settings.ts';
import type { ManifestSource } from '../inputs/manifest-source.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { editOf } from './redrive/row-edit.ts';

/** A batch to run, as it is compared with the recorded batch of its name. */
export interface ComparedBatch {
  /** How to read the manifest. */
  readonly options: ManifestOptions;
  readonly identity: BatchIdentity;
  readonly settings: BatchSettings;
  /** Whether any option changes the meaning of the rows; if not, the recorded options apply. */
  readonly givesReading: boolean;
  /** Whether an option gives a file name template; if not, the recorded one applies. */
  readonly givesTemplate: boolean;
  /** Whether the configuration says how rows are read. Default false. */
  readonly isConfigured?: boolean;
  /** The summary of the checked manifest. */
  readonly checked: ManifestSummary;
}

/** How a batch differs from the recorded batch of its name. */
export type BatchDifference = 'api' | 'account' | 'manifest' | 'dialect' | 'reading' | 'file-names';

/** Another batch has the name. Nothing was changed. */
export interface TakenName {
  readonly type: 'taken';
  /** The batch that has it. */
  readonly batch: BatchRecord;
  /** The first difference. */
  readonly differs: BatchDifference;
  /** The subset of rows requested this time; null means all. */
  readonly subset: Subset | null;
  /** How the manifest was read this time. */
  readonly wanted: Reading;
  /**
   * Whether flags alone can make the manifest be read like that batch: neither the configuration nor a changed cast
   * prevents it.
   */
  readonly canAskAgain: boolean;
  /**
   * True if that batch can be redriven from this manifest as an edited copy: user-given ids identify its rows, and it
   * has no more rows than the batch.
   */
  readonly canRedrive: boolean;
  /** The manifest's rows that make voices: under another batch name they would make them again. */
  readonly makers: readonly VoiceMaker[];
}

/** Returns whether the recorded batch of this name is the one to run, or how it differs. */
export function compareBatch(
  batch: BatchRecord,
  request: ComparedBatch,
): { readonly type: 'known'; readonly batch: BatchRecord } | TakenName {
  const differs = findDifference(batch, request);
  if (differs === undefined) return { type: 'known', batch };
  const { options, checked } = request;
  const hasIds = checked.columns.includes(headerFor('id', checked.columns, readingOf(request)));
  return {
    type: 'taken',
    batch,
    differs,
    subset: options.subset ?? null,
    wanted: readingOf(request),
    canAskAgain: request.isConfigured !== true && isSameCast(batch.settings.reading, readingOf(request)),
    canRedrive: differs === 'manifest' && hasIds && checked.rows <= batch.rows,
    makers: checked.voices.makers,
  };
}

/** Returns how the manifest is read, with the part of the configuration's column map that applied to it. */
export function readingOf({ settings, checked }: Pick<ComparedBatch, 'settings' | 'checked'>): Reading {
  const { reading } = settings;
  return { ...reading, map: { ...checked.mapUsed, ...reading.map } };
}

/** Returns the first difference between the recorded batch and the requested one. */
function findDifference(found: BatchRecord, request: ComparedBatch): BatchDifference | undefined {
  const { identity: wanted, settings, givesTemplate, checked } = request;
  const givesReading = request.givesReading || Object.keys(checked.mapUsed).length > 0;
  const realm = realmDifference(found, wanted);
  if (realm !== undefined) return realm;
  if (found.digest !== wanted.digest) return 'manifest';
  if (givesReading && legacyShareOf(found.settings) !== legacyShareOf(settings)) return 'dialect';
  if (givesReading && !isSameReading(found.settings.reading, readingOf(request))) return 'reading';
  if (givesTemplate && found.settings.nameTemplate !== settings.nameTemplate) return 'file-names';
  return undefined;
}

/** A checked manifest that may have the same rows as a batch. */
interface MaybeSame {
  readonly source: ManifestSource;
  readonly options: ManifestOptions;
  readonly checked: ManifestSummary;
}

/**
 * Returns the digest by which a manifest is compared with a batch of its name. It is the batch's digest if the manifest
 * has different bytes but exactly the batch's current rows, which `redrive --from` may have edited; else its own.
 */
export async function digestFor(batch: BatchRecord, manifest: MaybeSame, ledger: Ledger): Promise<string> {
  const { digest } = manifest.checked;
  if (digest === batch.digest || !(await hasSameRows(batch, manifest, ledger))) return digest ?? '';
  return batch.digest;
}

/** Returns whether a manifest has the batch's rows, in order and without any edit. */
async function hasSameRows(
  batch: BatchRecord,
  { source, options, checked }: MaybeSame,
  ledger: Ledger,
): Promise<boolean> {
  const { columns } = checked;
  const isSameTable = columns.length === batch.columns.length && batch.columns.every((name) => columns.includes(name));
  if (!isSameTable || checked.problemCount > 0 || checked.rows !== batch.rows) return false;
  const recorded = ledger.scanRows(batch.name)[Symbol.asyncIterator]();
  try {
    for await (const line of readManifest(source, options, checked)) {
      const next = await recorded.next();
      if (next.done === true || next.value.row.id !== line.id) return false;
      if (editOf(next.value, line, checked, batch) !== null) return false;
    }
    return (await recorded.next()).done === true;
  } finally {
    await recorded.return?.();
  }
}
