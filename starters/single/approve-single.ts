import { spendFacts } from '../../batches/plan/bill-lines.ts';
import { planNew } from '../../batches/plan/plan-manifest.ts';
import type { SoundJob } from '../../batches/single/single-job.ts';
import { withVoices } from '../../batches/voices/check-voices.ts';
import type { KnownVoices } from '../../client/voices/know-voices.ts';
import { realmOf, type OpenApi } from '../../client/open-api.ts';
import { redriveFacts } from '../../client/redrive/redrive-batch.ts';
import type { FurtherTake } from '../../client/single/ask-single.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import type { Config } from '../../inputs/config-file.ts';
import type { SoundManifest } from '../../inputs/read-manifest.ts';
import type { Invocation } from '../invocation.ts';
import { leftBudgetRefusal } from '../redrive/redrive-words.ts';
import { approve } from '../../client/run/approval.ts';
import { payerOf as payerAt, type Payer } from '../../client/person.ts';
import { spendError } from '../run/spend-error.ts';
import { probeAloud } from '../run/probe-manifest.ts';
import { refuseJob } from './single-words.ts';
import { inCredits } from '../terminal/money.ts';
import type { SpendFacts } from '../../policy/money/spend.ts';
import { identifyWarning } from '../run/identify-aloud.ts';
import type { SingleFlags } from './single-flags.ts';

/** A job whose price is to be approved. */
export interface SingleSpend {
  readonly job: SoundJob;
  readonly flags: Pick<SingleFlags, 'probe' | 'confirm'>;
  readonly config: Config;
  /** Checks that the result can be handed out. */
  readonly ready: () => Promise<void>;
}

/** Says the price of a new job and asks if needed. Throws {@link ExitError} if it may not be paid for. */
export async function approveNew(
  spend: SingleSpend,
  { open, voices }: { readonly open: OpenApi; readonly voices: Promise<KnownVoices> },
  invocation: Invocation,
): Promise<SoundManifest> {
  const { job, flags } = spend;
  const { output } = invocation;
  const { source, checked, settings } = job;
  const [probed, known] = await Promise.all([
    flags.probe === true
      ? probeAloud(source, checked, { budget: settings.budget, apiUrl: realmOf(open).apiUrl, output })
      : checked,
    voices,
    spend.ready(),
  ]);
  if (known.type === 'faulty') throw refuseJob(job.job, known.summary.problems);
  for (const { message } of known.warnings) output.say(`warning: ${message}`);
  const priced = withVoices(probed, known);
  const { summary, reasons } = await planNew({
    settings,
    source,
    checked: priced,
    ledger: await invocation.session.ledger(),
    account: realmOf(open),
    identify: identifyWarning(output),
  });
  const payer = payerOf(spend, open, invocation);
  const facts = spendFacts(summary, settings, payer);
  if (reasons.cached.rows > 0) output.say('An earlier, equal row has this result: it costs nothing.');
  else if (settings.cache !== 'only') output.say(`${priceOf(facts, flags.probe)}${retakesText(settings)}`);
  const refused = await approve(facts, invocation.person);
  if (refused !== undefined) throw spendError(refused);
  return { summary, options: priced.options };
}

/** Says what running a job again costs, and asks if needed. Throws {@link ExitError} if it may not be paid for. */
export async function approveAgain(
  spend: SingleSpend,
  { ledger, batch, draft, tuning = {} }: FurtherTake,
  open: OpenApi,
  invocation: Invocation,
): Promise<true> {
  const { output } = invocation;
  await spend.ready();
  if (draft.paying === 0) {
    output.say('Its job was paid for: waiting for its result again costs nothing.');
    return true;
  }
  // Nothing is sent for it.
  if (tuning.cache === 'only') return true;
  const facts = await redriveFacts({ ledger, batch, draft, tuning }, payerOf(spend, open, invocation));
  output.say(`A new take. ${priceOf(facts)}`);
  const refused = await approve(facts, invocation.person);
  if (refused !== undefined) throw spendError(refused, leftBudgetRefusal(batch.name, tuning.budget !== undefined));
  return true;
}

/** `isProbed`: its media were read, and did not tell it. */
function priceOf({ bill, isEstimate }: Pick<SpendFacts, 'bill' | 'isEstimate'>, isProbed = false): string {
  if (bill.unpriced === 0) return `It costs ${isEstimate ? 'about ' : ''}${inCredits(bill.quoted)}.`;
  return `Its price depends on the length of its media, which is not known${isProbed ? '' : ' (--probe reads it, free)'}.`;
}

/** Takes that may follow by themselves are not in the price. */
function retakesText({ retakes }: Pick<BatchSettings, 'retakes'>): string {
  if (retakes === 0) return '';
  return ` Up to ${String(retakes)} ${retakes === 1 ? 'retake' : 'retakes'} may follow, each at full price.`;
}

function payerOf({ flags, config }: SingleSpend, open: OpenApi, { person }: Invocation): Payer {
  return payerAt(person, open, flags.confirm ?? config.confirmAbove ?? null);
}
