import { setTimeout as sleep } from 'node:timers/promises';
import { readVoices } from '../../api/voices/read-voices.ts';
import type { NotedRead } from '../../api/free-request.ts';
import { ApiError, isRetryable, type ListedJob, type SpeechApi } from '../../api/speech-api.ts';
import { DIALECTS } from '../../contract/dialects.ts';
import {
  compareItems,
  isDifferent,
  persistentDifferences,
  type Item,
  type ItemDifferences,
} from '../../policy/compare/item-differences.ts';
import type { Pair } from '../../policy/compare/row-parity.ts';
import { createApi } from '../connect-api.ts';
import type { ApiAccess } from '../settings.ts';
import { profileItem, voiceItem, listedItem, jobItem } from './dialect-items.ts';
import { createPacer, paceReads, type ApiReads } from './paced-reads.ts';

/** Reads made in each dialect. `list`: the newest lip-sync jobs; `jobs`: the same jobs, each by its id. */
export const SURFACES = ['profile', 'voices', 'list', 'jobs'] as const;
/** What is read and compared in both dialects; see {@link SURFACES}. */
export type Surface = (typeof SURFACES)[number];

/**
 * An API surface compared across both dialects; in pairs, v1 comes first. `unread`: a dialect did not answer, with the
 * reason.
 */
export type SurfaceComparison = { readonly surface: Surface } & (
  | (ItemDifferences & { readonly is: 'compared'; readonly items: Pair<number> })
  | { readonly is: 'unread'; readonly why: Pair<string | null> }
);

/**
 * An account compared across both dialects. `unread`: neither dialect returned the profile, so nothing else was read.
 */
export interface DialectComparison {
  /** Address of the API. */
  readonly api: string;
  readonly verdict: 'parity' | 'differs' | 'unread';
  readonly dialects: typeof DIALECTS;
  readonly surfaces: readonly SurfaceComparison[];
  /** All requests, in order. */
  readonly requests: readonly MadeRead[];
}

/** A free request, safe to log. */
export interface MadeRead extends Omit<NotedRead, 'at'> {
  /** When it was sent. */
  readonly at: Date;
}

/** How much to compare, and how fast. */
export interface CompareOptions {
  /** Number of newest lip-sync jobs to compare. Default: {@link USUAL_JOBS}. */
  readonly jobs?: number | undefined;
  /** Max requests per second across both dialects, because they share one account. Default: null, no limit. */
  readonly pollRate?: number | null;
  /** Called after each request. */
  readonly onRead?: (read: MadeRead) => void;
}

/** A surface read in one dialect. */
type Reading =
  | {
      readonly type: 'read';
      readonly items: ReadonlyMap<string, Item>;
      /** The API has more items, which were not read. Default: false. */
      readonly isCut?: boolean;
    }
  | { readonly type: 'unread'; readonly why: string };

/** Default number of lip-sync jobs compared. */
const USUAL_JOBS = 20;
/** Jobs per page of the API's list. */
const PAGE_SIZE = 50;
/** Timeout for the whole list of voices, ms. */
const VOICES_TIMEOUT_MS = 120_000;

/** Max attempts per read while the API fails or asks to wait. */
const TRIES = 4;
/** Shortest pause between attempts, ms. */
const PAUSE_MS = 500;

/** Longest wait requested by the API that is honored, ms. */
const MAX_PAUSE_MS = 30_000;

/**
 * Reads the profile, the voices, the list of lip-sync jobs and each of these jobs in both dialects, one request at a
 * time, and compares them. Spends nothing and changes nothing. A surface that differs is read a second time.
 */
export async function compareDialects(
  access: ApiAccess,
  { onRead, ...options }: CompareOptions,
): Promise<DialectComparison> {
  const requests: MadeRead[] = [];
  const api = await createApi(access, {
    onRead: ({ at, ...rest }) => {
      const read = { ...rest, at: new Date(at) };
      requests.push(read);
      onRead?.(read);
    },
  });
  try {
    const found = await compareBoth(api, options);
    return { api: api.baseUrl, ...found, dialects: DIALECTS, requests };
  } finally {
    api.close();
  }
}

async function compareBoth(
  api: SpeechApi,
  { jobs = USUAL_JOBS, pollRate = null }: CompareOptions,
): Promise<Pick<DialectComparison, 'verdict' | 'surfaces'>> {
  const pace = createPacer(pollRate);
  const [one, other] = DIALECTS;
  const apis: Pair<ApiReads> = [paceReads(api.speaking(one), pace), paceReads(api.speaking(other), pace)];
  const profile = await compareSurface('profile', apis, readProfile);
  // With a refused token or an unreachable host, further reads are pointless.
  if (isUnread(profile)) return { verdict: 'unread', surfaces: [profile] };
  const voices = await compareSurface('voices', apis, readAllVoices);
  const ids = new Set<string>();
  const list = await compareSurface('list', apis, async (one) => {
    const reading = await readList(one, jobs);
    if (reading.type === 'read') for (const id of reading.items.keys()) if (ids.size < jobs) ids.add(id);
    return reading;
  });
  const each = await compareSurface('jobs', apis, (one) => readJobs(one, [...ids]));
  const surfaces = [profile, voices, list, each];
  const differs = surfaces.some((one) => one.is === 'unread' || isDifferent(one));
  return { verdict: differs ? 'differs' : 'parity', surfaces };
}

/** Whether neither dialect answered. */
function isUnread(surface: SurfaceComparison): boolean {
  return surface.is === 'unread' && !surface.why.includes(null);
}

/** Compares a surface. If the dialects differ, reads both again and keeps the differences that last. */
async function compareSurface(
  surface: Surface,
  apis: Pair<ApiReads>,
  read: (api: ApiReads) => Promise<Reading>,
): Promise<SurfaceComparison> {
  const first = await compareOnce(surface, apis, read);
  if (first.is === 'unread' || !isDifferent(first)) return first;
  const second = await compareOnce(surface, apis, read);
  return second.is === 'unread' ? second : { ...second, ...persistentDifferences(first, second) };
}

async function compareOnce(
  surface: Surface,
  [v1, legacy]: Pair<ApiReads>,
  read: (api: ApiReads) => Promise<Reading>,
): Promise<SurfaceComparison> {
  const readings = [await read(v1), await read(legacy)] as const;
  const [one, other] = readings;
  if (one.type === 'unread' || other.type === 'unread')
    return { surface, is: 'unread', why: [whyOf(one), whyOf(other)] };
  const found = compareItems([one.items, other.items]);
  // Items beyond the end of a cut list are not missing.
  const only: ItemDifferences['only'] = [
    other.isCut === true ? [] : found.only[0],
    one.isCut === true ? [] : found.only[1],
  ];
  return { surface, is: 'compared', ...found, only, items: [one.items.size, other.items.size] };
}

function whyOf(reading: Reading): string | null {
  return reading.type === 'unread' ? reading.why : null;
}

function readProfile(api: ApiReads): Promise<Reading> {
  return orUnread(async () => {
    const profile = await withRetries(() => api.readProfile());
    return new Map([['the account', profileItem(profile)]]);
  });
}

async function readAllVoices(api: ApiReads): Promise<Reading> {
  const read = await readVoices(api, { ids: undefined, patienceMs: VOICES_TIMEOUT_MS, tries: TRIES });
  if (read.type === 'cut') return { type: 'unread', why: read.why };
  return { type: 'read', items: new Map([...read.voices].map(([id, voice]) => [id, voiceItem(voice)])) };
}

/** Reads the newest jobs, at most `limit`. */
async function readList(api: ApiReads, limit: number): Promise<Reading> {
  let isCut = false;
  const reading = await orUnread(async () => {
    const jobs = new Map<string, ListedJob>();
    for (let page = 1; jobs.size < limit; page += 1) {
      const { jobs: listed, hasMore } = await withRetries(() => api.listJobs('lip-sync-job', page, PAGE_SIZE));
      const before = jobs.size;
      for (const job of listed) jobs.set(job.id, job);
      isCut = hasMore || jobs.size > limit;
      if (!hasMore || jobs.size === before) break;
    }
    return new Map([...jobs].slice(0, limit).map(([id, job]) => [id, listedItem(job)]));
  });
  return reading.type === 'unread' ? reading : { ...reading, isCut };
}

/** Reads each job by its id, and omits those that the dialect does not know. */
function readJobs(api: ApiReads, ids: readonly string[]): Promise<Reading> {
  return orUnread(async () => {
    const items = new Map<string, Item>();
    for (const id of ids) {
      const job = await withRetries(() => api.readJob('lip-sync-job', id)).catch((error: unknown) => {
        if (error instanceof ApiError && error.failure.class === 'BadRequest') return undefined;
        throw error;
      });
      if (job !== undefined) items.set(id, jobItem(job));
    }
    return items;
  });
}

/** Reads items; an API failure becomes an `unread` reading. */
async function orUnread(read: () => Promise<ReadonlyMap<string, Item>>): Promise<Reading> {
  try {
    return { type: 'read', items: await read() };
  } catch (error) {
    if (error instanceof ApiError) return { type: 'unread', why: error.failure.message };
    throw error;
  }
}

/** Retries a read when that may help, no sooner than the API asks. */
async function withRetries<T>(read: () => Promise<T>): Promise<T> {
  for (let left = TRIES; ;) {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { retryAfterMs = 0 } = error.failure;
      const mayHelp = isRetryable(error.failure) && retryAfterMs <= MAX_PAUSE_MS;
      left -= 1;
      if (left <= 0 || !mayHelp) throw error;
      await sleep(Math.max(PAUSE_MS, retryAfterMs));
    }
  }
}
