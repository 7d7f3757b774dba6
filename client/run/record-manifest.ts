import { resolve } from 'node:path';
import { chooseSettings, givesReading, type BatchChoices, type WantedBatch } from '../../batches/batch-settings.ts';
import { defaultOut, nameFromFile } from '../../batches/batch-name.ts';
import { spendFacts } from '../../batches/plan/bill-lines.ts';
import type { TakenName } from '../../batches/load-batch.ts';
import { isOnRecord, planManifest, planNew, type ManifestPlan } from '../../batches/plan/plan-manifest.ts';
import { openManifest, type ManifestSource } from '../../inputs/manifest-source.ts';
import {
  checkManifest,
  type CheckedManifest,
  type OutcomeFile,
  type SoundManifest,
} from '../../inputs/read-manifest.ts';
import type { Config } from '../../inputs/config-file.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { SpendFacts } from '../../policy/money/spend.ts';
import { approve, type NotApproved } from './approval.ts';
import { payerOf, personOf, type Confirm } from '../person.ts';
import { checkWanted } from '../check-options.ts';
import { identifyMedia } from '../cache/identify-media.ts';
import { realmOf, type OpenApi } from '../open-api.ts';
import { withVoices } from '../../batches/voices/check-voices.ts';
import { knowVoices, withVoiceProblems } from '../voices/know-voices.ts';
import { openRecordsIfAny } from '../open-records.ts';
import { withRecordedReading } from './recorded-reading.ts';
import { apiUrlOf, withTextLimits } from '../parts/text-limits.ts';
import { putOnRecord } from './put-on-record.ts';
import type { Session } from '../session.ts';
import type { WebhookWish } from '../webhooks/webhook-options.ts';

/** How to run a manifest. Options that are left out come from the configuration. */
export interface RunOptions extends WantedBatch {
  /** Default: made from the manifest's file name. */
  readonly name?: string;
  /** Folder of its files. Default `out/NAME`. */
  readonly out?: string;
  /** Called before a bill above `confirmAbove` of the configuration is paid. Default: such a bill is refused. */
  readonly confirm?: Confirm;
}

type FaultyManifest = Extract<CheckedManifest, { readonly type: 'faulty' }>;

/** Why a manifest is not on record. */
export type NotRecorded = FaultyManifest | OutcomeFile | TakenName | NotApproved;

/** A manifest on record. */
interface RecordedManifest {
  readonly type: 'recorded';
  readonly batch: BatchRecord;
  readonly isNew: boolean;
  /** Folder of its files, absolute. */
  readonly out: string;
}

/** Checks a manifest, has its bill approved, and makes it a batch, or finds the batch that it is. */
export async function recordManifest(
  manifest: string,
  wanted: RunOptions,
  session: Session,
  config: Config,
  webhook?: WebhookWish,
): Promise<RecordedManifest | NotRecorded> {
  checkWanted(wanted, wanted.name ?? nameFromFile(manifest));
  const choices = await choicesFor(manifest, wanted, session, config);
  const source = await openManifest(manifest);
  try {
    const checked = await checkManifest(source, choices.manifest, choices.settings.budget);
    if (checked.type === 'outcome-file') return checked;
    if (checked.type === 'faulty') return await faultyIn(session, { ...checked, options: choices.manifest });
    return await record({ manifest, source, checked, wanted, choices, session, config, webhook });
  } finally {
    await source.close();
  }
}

/** A plan of a manifest, or why there is none. */
export type PlanAnswer = ManifestPlan | Exclude<CheckedManifest, { readonly type: 'sound' }>;

/** Checks a manifest and works out what {@link recordManifest} would pay for. Changes nothing, spends nothing. */
export async function planWanted(
  manifest: string,
  wanted: RunOptions,
  session: Session,
  config: Config,
): Promise<PlanAnswer> {
  const { name = nameFromFile(manifest) } = wanted;
  checkWanted(wanted, name);
  const { manifest: options, settings } = await choicesFor(manifest, wanted, session, config);
  const account = realmOf(await session.api());
  const source = await openManifest(manifest);
  const ledger = await openRecordsIfAny(session.settings);
  try {
    const checked = await checkManifest(source, options, settings.budget);
    if (checked.type === 'outcome-file') return checked;
    if (checked.type === 'faulty') return await faultyIn(session, { ...checked, options });
    const looked = { ledger, account, identify: identifyMedia };
    const request = { ...planOf(wanted), ...looked, name, source, settings };
    if (await isOnRecord(ledger, name, checked)) return await planManifest({ ...request, checked });
    const known = await knowVoices((await session.api()).api, checked, ledger);
    return known.type === 'faulty' ? known : await planManifest({ ...request, checked: withVoices(checked, known) });
  } finally {
    await ledger?.close();
    await source.close();
  }
}

/** A faulty manifest with the problems of its voices, as far as the API's list can be read. */
async function faultyIn(session: Session, manifest: SoundManifest): Promise<FaultyManifest> {
  const reach = async (): Promise<OpenApi['api']> => (await session.api()).api;
  return { type: 'faulty', summary: await withVoiceProblems(manifest, session.settings, reach) };
}

interface Request {
  readonly manifest: string;
  readonly source: ManifestSource;
  readonly checked: SoundManifest;
  readonly wanted: RunOptions;
  readonly choices: BatchChoices;
  readonly session: Session;
  readonly config: Config;
  readonly webhook: WebhookWish | undefined;
}

async function record(request: Request): Promise<RecordedManifest | NotRecorded> {
  const { source, checked, wanted, choices, session } = request;
  const { name = nameFromFile(request.manifest), confirm } = wanted;
  const out = resolve(wanted.out ?? defaultOut(name));
  const confirmAbove = request.config.confirmAbove ?? null;
  const person = personOf(confirm);
  const found: { refusal?: NotApproved | FaultyManifest | undefined } = {};
  const approves = async (facts: SpendFacts): Promise<boolean> => {
    found.refusal = await approve(facts, person);
    return found.refusal === undefined;
  };
  const recorded = await putOnRecord({
    session,
    source,
    checked,
    plan: { ...planOf(wanted), name, out, settings: choices.settings },
    webhook: request.webhook,
    approve: async (open, voices) => {
      const { settings } = choices;
      const known = await voices;
      if (known.type === 'faulty') {
        found.refusal = known;
        return undefined;
      }
      const sound = withVoices(checked, known);
      const ledger = await session.ledger();
      const looked = { ledger, account: realmOf(open), identify: identifyMedia };
      const { summary } = await planNew({ ...planOf(wanted), ...looked, source, checked: sound, settings });
      return (await approves(spendFacts(summary, settings, payerOf(person, open, confirmAbove)))) ? sound : undefined;
    },
    approveMore: ({ rows, dependents, bill, isEstimate, budget }, open) =>
      approves({ rows: rows + dependents, bill, isEstimate, budget, ...payerOf(person, open, confirmAbove) }),
  });
  if (found.refusal !== undefined) return found.refusal;
  if (recorded.type === 'declined') throw new Error('What is declined has a reason.');
  if (recorded.type === 'taken') return recorded;
  return { type: 'recorded', batch: recorded.batch, isNew: recorded.type === 'new', out };
}
/** How the manifest is read, and the settings of its batch. */
async function choicesFor(
  manifest: string,
  wanted: RunOptions,
  session: Session,
  config: Config,
): Promise<BatchChoices> {
  const { name = nameFromFile(manifest) } = wanted;
  const asked = { givesDialect: wanted.apiDialect !== undefined, wantedFinish: wanted.finish };
  const choices = { ...chooseSettings(wanted, config), ...asked, name, givesReading: givesReading(wanted) };
  const recorded = await withRecordedReading(choices, session.settings);
  return withTextLimits(recorded, await apiUrlOf(session), session.settings);
}

/** The options that apply to an existing batch too. */
function planOf(wanted: RunOptions): {
  givesReading: boolean;
  givesTemplate: boolean;
  tuning: NonNullable<WantedBatch['tuning']>;
} {
  const { nameTemplate, tuning = {} } = wanted;
  return { givesReading: givesReading(wanted), givesTemplate: nameTemplate !== undefined, tuning };
}
