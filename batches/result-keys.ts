import { createHash } from 'node:crypto';
import type { RowSpec, Step } from '../contract/row-kinds.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { resultKeyOf, type MediaIdentity } from '../policy/result-key.ts';

/** What the keys of a batch's rows depend on. */
export type KeyedBatch = Pick<BatchRecord, 'apiUrl' | 'account'> & {
  readonly settings: Pick<BatchRecord['settings'], 'tts'>;
};

const NO_MEDIA: ReadonlyMap<string, MediaIdentity> = new Map();

/**
 * The key that the result of a step is known by, in 43 characters; undefined if nothing can equal it. `media`: the
 * identity of what is behind each URL, as far as known.
 */
export function stepKey(batch: KeyedBatch, spec: RowSpec, step: Step, media = NO_MEDIA): string | undefined {
  return resultKeyOf(spec, step, { realm: batch, tts: batch.settings.tts, media, digest: sha256 });
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
