import { createHash } from 'node:crypto';
import type { RowSpec, Step } from '../contract/row-kinds.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { mediaOf, resultKeyOf, type KeyContext, type MediaIdentity } from '../policy/result-key.ts';
import type { MediaIdentities } from './media-identities.ts';

/** What the keys of a batch's rows depend on. */
export type KeyedBatch = Pick<BatchRecord, 'apiUrl' | 'account'> & {
  readonly settings: Pick<BatchRecord['settings'], 'tts'>;
};

const NO_MEDIA: ReadonlyMap<string, MediaIdentity> = new Map();

/**
 * The key that the result of a step is known by, in 43 characters; undefined if nothing can equal it. `media`: the
 * identity of what is behind each URL, as far as known. `made`: see `KeyContext`.
 */
export function stepKey(
  batch: KeyedBatch,
  spec: RowSpec,
  step: Step,
  { media = NO_MEDIA, made }: Partial<Pick<KeyContext, 'media' | 'made'>> = {},
): string | undefined {
  return resultKeyOf(spec, step, { realm: batch, tts: batch.settings.tts, media, made, digest: sha256 });
}

/** A row, and those of its steps whose keys are asked for. */
export interface KeyedRow {
  readonly spec: RowSpec;
  readonly steps: readonly Step[];
}

/** The keys of steps of rows, without those that nothing can equal. Learns once what is behind the links of all of them. */
export async function keysOfRows<Row extends KeyedRow>(
  batch: KeyedBatch,
  rows: readonly Row[],
  identify: MediaIdentities['of'],
): Promise<ReadonlyMap<Row, ReadonlyMap<Step, string>>> {
  const media = await identify([...new Set(rows.flatMap(({ spec }) => mediaOf(spec)))]);
  return new Map(
    rows.map((row) => {
      const keys = row.steps.flatMap((step) => {
        const key = stepKey(batch, row.spec, step, { media });
        return key === undefined ? [] : [[step, key] as const];
      });
      return [row, new Map(keys)];
    }),
  );
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
