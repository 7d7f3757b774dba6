import type { IdentifyMedia, MediaIdentities } from '../../batches/cache/result-keys.ts';
import { spendFacts } from '../../batches/plan/bill-lines.ts';
import { priceNew, type LearnRequest, type PricingEvent } from '../../batches/plan/price.ts';
import type { CacheMode } from '../../contract/cache.ts';
import type { ManifestSummary, SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import { realmOf, type OpenApi } from '../open-api.ts';
import { payerOf, type Person, approve, type NotApproved } from '../person.ts';
import { knowVoices, type KnownVoices } from '../voices/know-voices.ts';

/** What is told while the links of a manifest are looked at. */
export type IdentifyEvent =
  /** The servers of its media are asked what each file is. Told once. */
  | { readonly type: 'identifying' }
  /** These hosts are not asked: they are in a private network, and the API is not. */
  | { readonly type: 'unasked'; readonly hosts: readonly string[] };

/** The bill of a manifest, and what decides whether it may be paid. */
export interface BillFacts extends SpendFacts {
  readonly bill: ManifestSummary;
}

/** What is told while a bill is made. */
export type BillEvent =
  | PricingEvent
  | IdentifyEvent
  /** The bill, before anybody is asked about it, and why rows are paid for. */
  | {
      readonly type: 'priced';
      readonly facts: BillFacts;
      readonly reasons: RowReasons;
      readonly cache: CacheMode;
    };

/** A sound manifest that is to become a batch, and whoever pays for it. */
export interface BillRequest extends Pick<LearnRequest, 'source' | 'checked' | 'settings' | 'probe'> {
  readonly open: OpenApi;
  readonly ledger: Ledger;
  readonly person: Person;
  /** A bill above this is confirmed first, in credits; null: none is. */
  readonly confirmAbove: number | null;
  /** Default: nobody is told. */
  readonly tell?: ((event: BillEvent) => void) | undefined;
}

/** A manifest that may be paid for. Its summary is billed without what is there already. */
export type Billed =
  | { readonly type: 'approved'; readonly checked: SoundManifest }
  | Extract<KnownVoices, { readonly type: 'faulty' }>
  | NotApproved<BillFacts>;

/**
 * Prices a manifest with all that is known of voices, media and earlier results, and has the bill approved. Spends nothing.
 * Throws {@link VoxbatchError} (`voices-unread`).
 */
export async function priceAndApprove(request: BillRequest): Promise<Billed> {
  const { open, ledger, checked, settings, person, confirmAbove, tell } = request;
  const account = realmOf(open);
  const priced = await priceNew({
    ...request,
    ...{ account, apiUrl: account.apiUrl, identify: identifyTelling(tell) },
    voices: () => knowVoices(open.api, checked, ledger),
  });
  if (priced.type === 'unread') throw new Error('Whoever knows voices has read their list.');
  if (priced.type === 'faulty') return priced;
  const facts = spendFacts(priced.checked.summary, settings, payerOf(person, open, confirmAbove));
  tell?.({ type: 'priced', facts, reasons: priced.reasons, cache: settings.cache });
  return (await approve(facts, person)) ?? { type: 'approved', checked: priced.checked };
}

/** Learns what is behind links, and tells of each host once that it is not asked. */
export function identifyTelling(tell: ((event: IdentifyEvent) => void) | undefined): IdentifyMedia {
  const told = new Set<string>();
  let isAsking = false;
  return async (urls, apiUrl) => {
    if (urls.length > 0 && !isAsking) tell?.({ type: 'identifying' });
    isAsking ||= urls.length > 0;
    const found = await identifyMedia(urls, apiUrl);
    const hosts = [...(identities.get(apiUrl)?.unasked ?? [])].filter((host) => !told.has(host));
    for (const host of hosts) told.add(host);
    if (hosts.length > 0) tell?.({ type: 'unasked', hosts });
    return found;
  };
}

/** Learns what is behind links, each once a minute at most, for whatever this process prices. Free. */
export const identifyMedia: IdentifyMedia = async (urls, apiUrl) =>
  urls.length === 0 ? new Map() : (await identitiesFor(apiUrl)).of(urls);

async function identitiesFor(apiUrl: string): Promise<MediaIdentities> {
  const [{ createMediaFetch }, { readMediaIdentities }] = await Promise.all([
    import('../../api/create-fetch.ts'),
    import('../../batches/cache/result-keys.ts'),
  ]);
  const found = identities.get(apiUrl) ?? readMediaIdentities(createMediaFetch(apiUrl));
  identities.set(apiUrl, found);
  return found;
}

/** By the address of the API. */
const identities = new Map<string, MediaIdentities>();
