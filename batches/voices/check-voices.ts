import type { VoicesRead, VoicesWanted } from '../../api/voices/read-voices.ts';
import type { Voice } from '../../api/speech-api.ts';
import type { Dialect } from '../../contract/dialects.ts';
import type { VoiceMeant } from '../../inputs/manifest-options.ts';
import type { ManifestWarning } from '../../contract/manifest-problems.ts';
import type { ManifestSummary, SoundManifest } from '../../inputs/read-manifest.ts';
import type { UsedBy, VoiceMaker, VoiceUse } from '../../inputs/voices/voice-uses.ts';
import type { JobHolder } from '../../ledger/requests/unresolved.ts';
import { isSameName } from '../../policy/voices/match-lost-voice.ts';
import { nameAskedFor, VoiceNames } from '../../policy/voices/voice-name.ts';
import { MOST_CANDIDATES, MOST_WARNED, VoiceReport, type VoiceCandidate } from './voice-report.ts';

/** Reads the API's list of voices in a dialect; free. */
export type ReadVoices = (wanted: VoicesWanted, dialect: Dialect) => Promise<VoicesRead>;

/**
 * What the API's list of voices says about a manifest. `sound`: it can be used. `faulty`: voices that do not exist, are
 * several, or do not fit their engine. `unread`: the list could not be read, so nobody knows what the names stand for.
 */
export type CheckedVoices =
  | {
      readonly type: 'sound';
      /** What is known of voices, as they are written. */
      readonly voices: ReadonlyMap<string, VoiceMeant>;
      readonly warnings: readonly ManifestWarning[];
    }
  | { readonly type: 'faulty'; readonly summary: ManifestSummary }
  | { readonly type: 'unread'; readonly why: string; readonly names: number; readonly first: UsedBy };

/** The row of this ledger that made a voice; undefined: none did. */
export type MadeBy = (voiceId: string) => Promise<JobHolder | undefined>;

/** How long a list may take that only warns, ms. */
const WARN_PATIENCE_MS = 5_000;
/** How long a list may take that names or `--strict` need, ms: 50 pages at a rather slow API. */
const NEED_PATIENCE_MS = 60_000;
const NEED_TRIES = 4;

/**
 * Checks the voices of a manifest. The list is read once, only as far as needed, and not at all if nothing depends on
 * it.
 */
export async function checkVoices(
  { summary, options }: SoundManifest,
  read: ReadVoices,
  {
    warns = true,
    madeBy = () => Promise.resolve(undefined),
    mayWait = true,
  }: {
    /** Whether anybody hears warnings. */
    readonly warns?: boolean;
    readonly madeBy?: MadeBy;
    /** Whether somebody waits for the list as long as it takes. */
    readonly mayWait?: boolean;
  } = {},
): Promise<CheckedVoices> {
  const { uses, beyond, makers, isCut } = summary.voices;
  const report = new VoiceReport(summary.voices.columns, options.cast?.from);
  const named = uses.filter(({ voice }) => nameAskedFor(voice) !== undefined);
  const ids = uses.filter(({ voice }) => nameAskedFor(voice) === undefined);
  if (beyond !== undefined) report.tooMany(beyond);
  const [firstName] = named;
  const isNeeded = firstName !== undefined || options.strict;
  const wanted = {
    ids: firstName === undefined && makers.length === 0 ? new Set(ids.map(({ voice }) => voice)) : undefined,
    ...(isNeeded && mayWait
      ? { patienceMs: NEED_PATIENCE_MS, tries: NEED_TRIES }
      : { patienceMs: WARN_PATIENCE_MS, tries: 1 }),
  };
  const isUseful = isNeeded || warns || uses.some(({ engines }) => engines.size > 0);
  if (uses.length + makers.length > 0 && isUseful) {
    // Names stand for what the rows' own paths list. Where only a share is legacy, the current list tells more.
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
  voices: ReadonlyMap<string, VoiceMeant>,
): CheckedVoices {
  if (problemCount === 0) return { type: 'sound', voices, warnings };
  return { type: 'faulty', summary: { ...summary, problems, problemCount, warnings } };
}

/** What is known of voices. */
interface Known {
  readonly listed: ReadonlyMap<string, Voice>;
  readonly makers: readonly VoiceMaker[];
  readonly isCut: boolean;
  readonly madeBy: MadeBy;
}

/** Finds the voices, and reports those that are not there, are several or do not fit. Returns what is known of them. */
async function lookUp(
  named: readonly VoiceUse[],
  ids: readonly VoiceUse[],
  { listed, makers, isCut, madeBy }: Known,
  { report, strict }: { readonly report: VoiceReport; readonly strict: boolean },
): Promise<ReadonlyMap<string, VoiceMeant>> {
  const made = makers.map((maker): VoiceCandidate => ({ id: '', name: maker.name, provider: '', maker }));
  const candidates = [...listed.values(), ...made];
  const names = new VoiceNames<VoiceCandidate>(candidates);
  const meant = new Map<string, VoiceMeant>();
  for (const use of named) {
    const found = names.find(nameAskedFor(use.voice) ?? '');
    if (found.type === 'unknown') {
      // A row that cannot be read may be the one that makes it.
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

/** Tells of rows that make a voice of a name that is there already: it costs, and a manifest may have run before. */
async function warnOfTakenNames({ listed, makers, madeBy }: Known, report: VoiceReport): Promise<void> {
  if (makers.length === 0) return;
  const names = new VoiceNames<VoiceCandidate>(listed.values());
  const taken = makers.flatMap((maker) => {
    const found = names.find(maker.name);
    const same = found.type === 'found' ? [found.voice] : found.type === 'ambiguous' ? found.voices : [];
    const voice = same.find(({ name }) => isSameName(name, maker.name));
    return voice === undefined ? [] : [{ maker, voice }];
  });
  const shown = taken.slice(0, MOST_WARNED);
  for (const { maker, voice } of shown) report.takenName(maker, await withOrigin(voice, madeBy));
  const next = taken[shown.length];
  if (next !== undefined) report.moreTakenNames(next.maker, taken.length - shown.length);
}

/** Candidates with the rows that made them; those beyond are only counted. */
async function withOrigins(voices: readonly VoiceCandidate[], madeBy: MadeBy): Promise<readonly VoiceCandidate[]> {
  const shown = await Promise.all(voices.slice(0, MOST_CANDIDATES).map((voice) => withOrigin(voice, madeBy)));
  return [...shown, ...voices.slice(shown.length)];
}

async function withOrigin(voice: VoiceCandidate, madeBy: MadeBy): Promise<VoiceCandidate> {
  const by = voice.maker === undefined ? await madeBy(voice.id) : undefined;
  return by === undefined ? voice : { ...voice, madeBy: by };
}

function meaningOf({ id, maker, isInTraining = false }: VoiceCandidate): VoiceMeant {
  return maker === undefined ? { type: 'listed', id, isInTraining } : { type: 'made', row: maker.row };
}
