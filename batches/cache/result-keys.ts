import { hash } from 'node:crypto';
import { checkedBy, stepsIn, type RowSpec, type Step } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { mediaOf, resultKeyOf, type KeyContext, type MediaIdentity } from '../../policy/cache/result-key.ts';
import { createIdentify } from '../../inputs/media/media-identity.ts';
import type { Fetch } from '../../inputs/media/probe-media.ts';

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

/** What the keys of rows are learnt from. */
export interface KeySources {
  readonly identify: IdentifyMedia;
  /** The newest results of keys. What comes after a check is known by the file that a row would use. */
  readonly findResults: Ledger['findResults'];
}

/** The keys of steps of rows, without those that nothing can equal. Learns once what is behind the links of all of them. */
export async function keysOfRows<Row extends KeyedRow>(
  batch: KeyedBatch,
  rows: readonly Row[],
  { identify, findResults }: KeySources,
): Promise<ReadonlyMap<Row, ReadonlyMap<Step, string>>> {
  const media = await identify([...new Set(rows.flatMap(({ spec }) => mediaOf(spec)))], batch.apiUrl);
  const checked = new Map(
    rows.flatMap((row) => checkedKey(batch, row.spec, media) ?? []).map((one) => [one.spec, one]),
  );
  const found = checked.size === 0 ? [] : await findResults([...new Set([...checked.values()].map(({ key }) => key))]);
  // The newest of a key comes first, and is the one that a row would use.
  const files = new Map(found.toReversed().map(({ key, file }) => [key, file.sha256]));
  return new Map(
    rows.map((row) => {
      const of = checked.get(row.spec);
      const file = of === undefined ? undefined : files.get(of.key);
      const made = of === undefined || file === undefined ? undefined : new Map([[of.step, file]]);
      const keys = row.steps.flatMap((step) => {
        const key = stepKey(batch, row.spec, step, { media, made });
        return key === undefined ? [] : [[step, key] as const];
      });
      return [row, new Map(keys)];
    }),
  );
}

/** The step of a row that a later one checks, and the key of its result. */
function checkedKey(
  batch: KeyedBatch,
  spec: RowSpec,
  media: ReadonlyMap<string, MediaIdentity>,
): { readonly spec: RowSpec; readonly step: Step; readonly key: string } | undefined {
  const step = stepsIn(spec)
    .map((one) => checkedBy(spec.kind, one))
    .find((one) => one !== undefined);
  const key = step === undefined ? undefined : stepKey(batch, spec, step, { media });
  return step === undefined || key === undefined ? undefined : { spec, step, key };
}

function sha256(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** Finds out what is behind links. */
export interface MediaIdentities {
  /**
   * By URL; without those whose servers do not tell. An answer that another asker had is not reused: a person may have
   * replaced the file between two runs.
   */
  of(urls: readonly string[], asker?: string): Promise<ReadonlyMap<string, MediaIdentity>>;
  /** Hosts that were never asked, because they are in a private network, where a manifest must not lead. */
  readonly unasked: ReadonlySet<string>;
}

/** The same for rows of an API: its address says whether URLs may lead into a private network. */
export type IdentifyMedia = (urls: readonly string[], apiUrl: string) => ReturnType<MediaIdentities['of']>;

const NONE: ReadonlyMap<string, MediaIdentity> = new Map();

/** Reads media identities, each URL once a minute and asker at most. */
export function readMediaIdentities(fetch: Fetch): MediaIdentities {
  const unasked = new Set<string>();
  const identify = createIdentify(fetch, { onPrivate: ({ host }) => unasked.add(host) });
  return {
    unasked,
    async of(urls, asker) {
      if (urls.length === 0) return NONE;
      const found = await Promise.all(urls.map(async (url) => [url, await identify(url, asker)] as const));
      return new Map(found.flatMap(([url, identity]) => (identity === undefined ? [] : [[url, identity]])));
    },
  };
}
