import type { VoicesRead, VoicesWanted } from '../../api/voices/read-voices.ts';
import type { Voice } from '../../api/speech-api.ts';
import type { Dialect } from '../../contract/dialects.ts';
import type { ResolvedVoice } from '../../inputs/manifest-options.ts';
import type { ManifestWarning } from '../../contract/manifest-problems.ts';
import type { ManifestSummary, SoundManifest } from '../../inputs/read-manifest.ts';
import type { UsedBy, VoiceMaker, VoiceUse } from '../../inputs/voices/voice-uses.ts';
import type { JobHolder } from '../../ledger/requests/unresolved.ts';
import { isSameName } from '../../policy/voices/match-lost-voice.ts';
import { requestedVoiceName, VoiceNames } from '../../policy/voices/voice-name.ts';
import { MAX_CANDIDATES, MAX_WARNED, VoiceReport, type VoiceCandidate } from './voice-report.ts';

/** Reads the API's list of voices in a dialect; free. */
export type ReadVoices = (wanted: VoicesWanted, dialect: Dialect) => Promise<VoicesRead>;

/**
 * Result of checking a manifest's voices against the API's list. `sound`: all can be used. `faulty`: some do not exist,
 * are ambiguous, or do not work with their engine. `unread`: the list could not be read, so names cannot be resolved;
 * `names`: how many there are, `first`: where the first one is used.
 */
export type CheckedVoices =
  | {
      readonly type: 'sound';
      /** What voices stand for, by their spelling in the manifest. */
      readonly voices: ReadonlyMap<string, ResolvedVoice>;
      readonly warnings: readonly ManifestWarning[];
    }
  | { readonly type: 'faulty'; readonly summary: ManifestSummary }
  | { readonly type: 'unread'; readonly why: string; readonly names: number; readonly first: UsedBy };

/** Returns the row of this ledger that made a voice; undefined if none did. */
export type MadeBy = (voiceId: string) => Promise<JobHolder | undefined>;

/** Max time to read a list that is only needed for warnings, ms. */
const OPTIONAL_TIMEOUT_MS = 5_000;
/** Max time to read a list that names or `--strict` require, ms: 50 pages of a rather slow API. */
const REQUIRED_TIMEOUT_MS = 60_000;
/** Tries to read a required list. */
const REQUIRED_TRIES = 4;

/**
 * Checks the voices of a manifest against the API's list, which is read once, only as far as needed, and not at all if
 * nothing depends on it.
 */
export async function checkVoices(
  { summary, options }: SoundManifest,
  read: ReadVoices,
  {
    warns = true,
    madeBy = () => Promise.resolve(undefined),
    mayWait = true,
  }: {
    /** Whether the caller shows warnings. Default true. */
    readonly warns?: boolean;
    readonly madeBy?: MadeBy;
    /** Whether the caller can wait for a required list. Default true. */
    readonly mayWait?: boolean;
  } = {},
): Promise<CheckedVoices> {
  const { uses, beyond, makers, isCut } = summary.voices;
  const report = new VoiceReport(summary.voices.columns, options.cast?.from);
  const named = uses.filter(({ voice }) => requestedVoiceName(voice) !== undefined);
  const ids = uses.filter(({ voice }) => requestedVoiceName(voice) === undefined);
  if (beyond !== undefined) report.tooMany(beyond);
  const [firstName] = named;
  const isNeeded = firstName !== undefined || options.strict;
  const wanted = {
    // With only ids to check, reading can end once all are found; names and new voices need the whole list.
    ids: firstName === undefined && makers.length === 0 ? new Set(ids.map(({ voice }) => voice)) : undefined,
    ...(isNeeded && mayWait
      ? { patienceMs: REQUIRED_TIMEOUT_MS, tries: REQUIRED_TRIES }
      : { patienceMs: OPTIONAL_TIMEOUT_MS, tries: 1 }),
  };
  const isUseful = isNeeded || warns || uses.some(({ engines }) => engines.size > 0);
  if (uses.length + makers.length > 0 && isUseful) {
    // Names stand for voices in the list of the dialect that the rows use; if they use both, the v1 list says more.
    const list = await read(wanted, (options.legacyShare ?? 0) >= 1 ? 'legacy' : 'v1');
    if (list.type === 'read') {
      const known: Known = { listed: list.voices, makers, isCut, madeBy };
      const voices = await lookUp(named, ids, known, { report, strict: options.strict });
      if (warns) await warnOfTakenNames(known, report);
      return finish(report, summary, voices);
    }
    if (firstName !== undefined) {
      return { type: 'unread', why: list.why, names: named.length, first: firstName };
    }
  }
  return finish(report, summary, new Map());
}

function finish(
  { problems, problemCount, warnings }: VoiceReport,
  summary: ManifestSummary,
  voices: ReadonlyMap<string, ResolvedVoice>,
): CheckedVoices {
  if (problemCount === 0) return { type: 'sound', voices, warnings };
  return { type: 'faulty', summary: { ...summary, problems, problemCount, warnings } };
}

/** Where to look voices up. */
interface Known {
  readonly listed: ReadonlyMap<string, Voice>;
  /** The manifest's rows that make voices. */
  readonly makers: readonly VoiceMaker[];
  /** True if rows could not be read, so that `makers` may be incomplete. */
  readonly isCut: boolean;
  readonly madeBy: MadeBy;
}

/**
 * Resolves names and checks ids; reports voices that do not exist, are ambiguous or do not fit. Returns what is known.
 */
async function lookUp(
  named: readonly VoiceUse[],
  ids: readonly VoiceUse[],
  { listed, makers, isCut, madeBy }: Known,
  { report, strict }: { readonly report: VoiceReport; readonly strict: boolean },
): Promise<ReadonlyMap<string, ResolvedVoice>> {
  const made = makers.map((maker): VoiceCandidate => ({ id: '', name: maker.name, provider: '', maker }));
  const candidates = [...listed.values(), ...made];
  const names = new VoiceNames<VoiceCandidate>(candidates);
  const meant = new Map<string, ResolvedVoice>();
  for (const use of named) {
    const found = names.find(requestedVoiceName(use.voice) ?? '');
    if (found.type === 'unknown') {
      // An unreadable row may be the one that makes this voice.
      if (!isCut) report.unknownName(use, candidates);
    } else if (found.type === 'ambiguous') report.ambiguous(use, await withOrigins(found.voices, madeBy));
    else {
      meant.set(use.voice, meaningOf(found.voice));
      report.engines(use, found.voice);
    }
  }
  for (const use of ids) {
    const voice = listed.get(use.voice);
    const maker = makers.find(({ name }) => isSameName(name, use.voice));
    if (voice === undefined && maker !== undefined) report.nameOfMade(use, maker);
    else if (voice === undefined) report.unknownId(use, { voices: listed, called: names.find(use.voice), strict });
    else {
      if (voice.isInTraining === true) meant.set(use.voice, meaningOf(voice));
      report.engines(use, voice);
    }
  }
  return meant;
}

/** Warns of rows that make a voice whose name exists already: that costs, and the manifest may have been run before. */
async function warnOfTakenNames({ listed, makers, madeBy }: Known, report: VoiceReport): Promise<void> {
  if (makers.length === 0) return;
  const names = new VoiceNames<VoiceCandidate>(listed.values());
  const taken = makers.flatMap((maker) => {
    const found = names.find(maker.name);
    if (found.type === 'unknown') return [];
    const same = found.type === 'found' ? [found.voice] : found.voices;
    const voice = same.find(({ name }) => isSameName(name, maker.name));
    return voice === undefined ? [] : [{ maker, voice }];
  });
  const shown = taken.slice(0, MAX_WARNED);
  for (const { maker, voice } of shown) report.takenName(maker, await withOrigin(voice, madeBy));
  const next = taken[shown.length];
  if (next !== undefined) report.moreTakenNames(next.maker, taken.length - shown.length);
}

/** Adds to candidates the rows that made them; candidates beyond {@link MAX_CANDIDATES} are only counted. */
async function withOrigins(voices: readonly VoiceCandidate[], madeBy: MadeBy): Promise<readonly VoiceCandidate[]> {
  const shown = await Promise.all(voices.slice(0, MAX_CANDIDATES).map((voice) => withOrigin(voice, madeBy)));
  return [...shown, ...voices.slice(shown.length)];
}

async function withOrigin(voice: VoiceCandidate, madeBy: MadeBy): Promise<VoiceCandidate> {
  const by = voice.maker === undefined ? await madeBy(voice.id) : undefined;
  return by === undefined ? voice : { ...voice, madeBy: by };
}

/** Returns what a voice in the manifest stands for: a listed voice, or the voice that a row will make. */
function meaningOf({ id, maker, isInTraining = false }: VoiceCandidate): ResolvedVoice {
  return maker === undefined ? { type: 'listed', id, isInTraining } : { type: 'made', row: maker.row };
}
