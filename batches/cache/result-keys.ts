import { hash } from 'node:crypto';
import { checkedStepOf, stepsIn, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { mediaUrlsOf, resultKeyOf, type KeyContext, type MediaIdentity } from '../../policy/cache/result-key.ts';
import type { IdentifyMedia } from './media-identities.ts';

/** The parts of a batch that its rows' keys depend on. */
export type KeyedBatch = Pick<BatchRecord, 'apiUrl' | 'account'> & {
  readonly settings: Pick<BatchRecord['settings'], 'tts'>;
};

const NO_MEDIA: ReadonlyMap<string, MediaIdentity> = new Map();

/**
 * Returns the cache key of a step's result, 43 characters; undefined if no result can be equal to it. `media`: the
 * known identities of linked media, by URL. `made`: sha256 of the files that earlier steps of the row made.
 */
export function stepKey(
  batch: KeyedBatch,
  spec: RowSpec,
  step: Step,
  { media = NO_MEDIA, made }: Partial<Pick<KeyContext, 'media' | 'made'>> = {},
): string | undefined {
  return resultKeyOf(spec, step, { realm: batch, tts: batch.settings.tts, media, made, digest: sha256 });
}

/** A row and the steps whose keys are wanted. */
export interface KeyedRow {
  readonly spec: RowSpec;
  readonly steps: readonly Step[];
}

/** Where {@link keysOfRows} looks things up. */
export interface KeySources {
  readonly identify: IdentifyMedia;
  /** Finds the newest results for keys: the key of a step that follows a verified one depends on that one's file. */
  readonly findResults: Ledger['findResults'];
}

/**
 * Returns the keys of rows' steps, except those that no result can be equal to. Identifies all linked media in one go.
 */
export async function keysOfRows<Row extends KeyedRow>(
  batch: KeyedBatch,
  rows: readonly Row[],
  { identify, findResults }: KeySources,
): Promise<ReadonlyMap<Row, ReadonlyMap<Step, string>>> {
  const media = await identify([...new Set(rows.flatMap(({ spec }) => mediaUrlsOf(spec)))], batch.apiUrl);
  const checked = new Map(
    rows.flatMap((row) => checkedKey(batch, row.spec, media) ?? []).map((result) => [result.spec, result]),
  );
  const found = checked.size === 0 ? [] : await findResults([...new Set([...checked.values()].map(({ key }) => key))]);
  // A key's newest result comes first, and is the one that a row would use.
  const files = new Map(found.toReversed().map(({ key, file }) => [key, file.sha256]));
  return new Map(
    rows.map((row) => {
      const result = checked.get(row.spec);
      const file = result && files.get(result.key);
      const made = result && file !== undefined ? new Map([[result.step, file]]) : undefined;
      const keys = row.steps.flatMap((step) => {
        const key = stepKey(batch, row.spec, step, { media, made });
        return key === undefined ? [] : [[step, key] as const];
      });
      return [row, new Map(keys)];
    }),
  );
}

/** Returns the step whose result a later step verifies, and its key; undefined if no step does. */
function checkedKey(
  batch: KeyedBatch,
  spec: RowSpec,
  media: ReadonlyMap<string, MediaIdentity>,
): { readonly spec: RowSpec; readonly step: Step; readonly key: string } | undefined {
  const step = stepsIn(spec)
    .map((one) => checkedStepOf(spec.kind, one))
    .find((one) => one !== undefined);
  const key = step === undefined ? undefined : stepKey(batch, spec, step, { media });
  return step === undefined || key === undefined ? undefined : { spec, step, key };
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}
