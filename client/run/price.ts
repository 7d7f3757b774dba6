import type { IdentifyMedia, MediaIdentities } from '../../batches/cache/media-identities.ts';
import { spendFacts } from '../../batches/plan/bill-lines.ts';
import { priceNew, type ResolveRequest, type PricingEvent } from '../../batches/plan/price.ts';
import { reusesResults, type CacheMode } from '../../contract/cache-modes.ts';
import type { ManifestSummary, SoundManifest } from '../../inputs/read-manifest.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { RowReasons } from '../../policy/plan/reason-groups.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import { realmOf, type ConnectedApi } from '../connect-api.ts';
import { payerOf, type Person, approve, type NotApproved } from '../person.ts';
import { resolveVoices, type ResolvedVoices } from '../voices/resolve-voices.ts';

/**
 * Events while a manifest's links are identified: the cache needs to know whether the file behind a link is still the
 * same.
 */
export type IdentifyEvent =
  /** The media servers are being asked to identify each file. Emitted once. */
  | { readonly type: 'identifying' }
  /** These hosts are not asked, because they are in a private network and the API is not. */
  | { readonly type: 'unasked'; readonly hosts: readonly string[] };

/** A manifest's bill, and the facts that decide whether it may be paid. */
export interface BillFacts extends SpendFacts {
  readonly bill: ManifestSummary;
}

/** Events while a bill is prepared. */
export type BillEvent =
  | PricingEvent
  | IdentifyEvent
  /** The bill and why rows are paid for, before anybody is asked about it. */
  | {
      readonly type: 'priced';
      readonly facts: BillFacts;
      readonly reasons: RowReasons;
      readonly cache: CacheMode;
    };

/** A valid manifest that is to become a batch, and its payer. */
export interface BillRequest extends Pick<ResolveRequest, 'source' | 'checked' | 'settings' | 'probe'> {
  readonly open: ConnectedApi;
  readonly ledger: Ledger;
  readonly person: Person;
  /** Bills above this many credits need confirmation; null means none do. */
  readonly confirmAbove: number | null;
  /** Called with each event. Default: no-op. */
  readonly onEvent?: ((event: BillEvent) => void) | undefined;
}

/** A manifest approved for payment. Its summary is billed net of existing results. */
export type Billed =
  | { readonly type: 'approved'; readonly checked: SoundManifest }
  | Extract<ResolvedVoices, { readonly type: 'faulty' }>
  | NotApproved<BillFacts>;

/**
 * Prices a manifest using everything known about its voices, media and earlier results, and gets the bill approved.
 * Spends nothing. Throws {@link VoxbatchError} (`voices-unread`).
 */
export async function priceAndApprove(request: BillRequest): Promise<Billed> {
  const { open, ledger, checked, settings, person, confirmAbove, onEvent } = request;
  const account = realmOf(open);
  const priced = await priceNew({
    ...request,
    ...{ account, apiUrl: account.apiUrl, identify: identifyWithEvents(onEvent), onEvent },
    voices: () => resolveVoices(open.api, checked, ledger),
  });
  if (priced.type === 'unread') throw new Error('An unreadable list of voices is thrown as an error before.');
  if (priced.type === 'faulty') return priced;
  const facts = spendFacts(priced.checked.summary, settings, payerOf(person, open, confirmAbove));
  onEvent?.({ type: 'priced', facts, reasons: priced.reasons, cache: settings.cache });
  return (await approve(facts, person)) ?? { type: 'approved', checked: priced.checked };
}

/**
 * Returns the groups of rows that may be charged a second time: another batch sent the same and lost the answer. Empty
 * if the cache mode ignores earlier results anyway, or pays for nothing.
 */
export function secondCharges({ again }: RowReasons, cache: CacheMode): RowReasons['again']['groups'] {
  if (!reusesResults(cache) || cache === 'only') return [];
  return again.groups.filter(({ reason }) => reason.type === 'again' && reason.ended === 'unknown');
}

/** Returns {@link identifyMedia} with reports: when it first queries a server, and each skipped host once. */
export function identifyWithEvents(onEvent: ((event: IdentifyEvent) => void) | undefined): IdentifyMedia {
  const reported = new Set<string>();
  let isAsking = false;
  return async (urls, apiUrl) => {
    if (urls.length > 0 && !isAsking) onEvent?.({ type: 'identifying' });
    isAsking ||= urls.length > 0;
    const found = await identifyMedia(urls, apiUrl);
    const hosts = [...(identities.get(apiUrl)?.unasked ?? [])].filter((host) => !reported.has(host));
    for (const host of hosts) reported.add(host);
    if (hosts.length > 0) onEvent?.({ type: 'unasked', hosts });
    return found;
  };
}

/** Identifies linked media, each at most once a minute, for all pricing in this process. Free. */
export const identifyMedia: IdentifyMedia = async (urls, apiUrl) =>
  urls.length === 0 ? new Map() : (await identitiesFor(apiUrl)).of(urls);

/** The cached identities for the media that an API can reach. */
async function identitiesFor(apiUrl: string): Promise<MediaIdentities> {
  const [{ createMediaFetch }, { readMediaIdentities }] = await Promise.all([
    import('../../api/create-fetch.ts'),
    import('../../batches/cache/media-identities.ts'),
  ]);
  const found = identities.get(apiUrl) ?? readMediaIdentities(createMediaFetch(apiUrl));
  identities.set(apiUrl, found);
  return found;
}

/** Identities by the API's URL, for the life of the process. */
const identities = new Map<string, MediaIdentities>();
