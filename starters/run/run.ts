import { existsSync } from 'node:fs';
import { spendFacts } from '../../batches/plan/bill-lines.ts';
import { checkManifest, type SoundManifest } from '../../inputs/read-manifest.ts';
import type { RunContext } from '../command-context.ts';
import { withInvocation, type Invocation } from '../invocation.ts';
import { runSampleFirst } from './after-sample.ts';
import { approve } from '../../client/run/approval.ts';
import { spendError } from './spend-error.ts';
import { ExitError } from '../exit-error.ts';
import { planNew } from '../../batches/plan/plan-manifest.ts';
import { reasonLines } from '../terminal/reason-words.ts';
import { priceText } from '../terminal/spend-words.ts';
import { realmOf, type OpenApi } from '../../client/open-api.ts';
import { withVoices } from '../../batches/voices/check-voices.ts';
import type { KnownVoices } from '../../client/voices/know-voices.ts';
import { withRecordedReading } from '../../client/run/recorded-reading.ts';
import { withTextLimits } from '../../client/parts/text-limits.ts';
import { readApiUrl } from '../connect/settings.ts';
import { putOnRecord } from '../../client/run/put-on-record.ts';
import { planFaultyVoices } from './plan-voices.ts';
import { probeAloud } from './probe-manifest.ts';
import { refuseProblems, sayWarnings } from './report-problems.ts';
import { checkMore } from './more-rows.ts';
import { payerOf as payerAt, type Payer } from '../../client/person.ts';
import { redriveFile } from '../redrive/redrive-file.ts';
import { reportOptions } from './run-command.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { sayLedgerBeside } from './ledger-beside.ts';
import { runRecorded } from './run-recorded.ts';
import { identifyWarning } from './identify-aloud.ts';
import type { RunRequest } from './run-request.ts';

const RESUBMIT_WITHOUT_BATCH =
  '--resubmit is only for outcome files (unknown.csv, overdue.csv …). Nothing was sent. Nothing was spent.';

/**
 * `voxbatch run MANIFEST`: reads the manifest, loads the batch into the ledger or finds it there, has it worked on,
 * follows it, and writes its files. Running the same command again continues, attaches, or says that it is finished.
 */
export function run(request: RunRequest, context: RunContext): Promise<ExitName> {
  return request.flags.confirmAfterSample === true
    ? runSampleFirst(request, context, runOnce)
    : runOnce(request, context);
}

async function runOnce(asked: RunRequest, context: RunContext): Promise<ExitName> {
  const { output } = context;
  const { manifestPath, source, flags, settings } = asked;
  const hadLedger = existsSync(settings.ledger);
  const recorded = await withRecordedReading(asked.plan, settings);
  const plan = await withTextLimits(recorded, readApiUrl(settings, flags), settings);
  const request = { ...asked, plan };
  const checked = await checkManifest(source, plan.manifest, plan.settings.budget);
  if (checked.type === 'outcome-file') {
    return await redriveFile({
      path: manifestPath,
      source,
      previousBatch: checked.batch,
      plan,
      flags,
      settings,
      context,
    });
  }
  if (flags.resubmit === true) throw new ExitError('usage', RESUBMIT_WITHOUT_BATCH);
  const report = reportOptions(manifestPath, flags);
  if (checked.type === 'faulty') {
    const faulty = { summary: checked.summary, options: plan.manifest };
    throw refuseProblems(await planFaultyVoices(settings, flags, faulty), manifestPath, output, report);
  }
  const { ledgerThread } = request;
  const opening = { settings, flags, context, mustExist: false, input: manifestPath, ledgerThread };
  return withInvocation(opening, async (invocation) => {
    const { session } = invocation;
    const recorded = await putOnRecord({
      session,
      source,
      checked,
      plan,
      webhook: invocation.webhook,
      onFound: (batch) => {
        if (hadLedger && batch === undefined) sayLedgerBeside(settings, manifestPath, ['run'], output, true);
        // A finished batch had them printed before.
        if (batch?.state !== 'closed' && checked.summary.warnings.length > 0)
          sayWarnings(checked.summary, output, report);
      },
      approve: (open, voices) => readyToSpend(request, { checked, open, voices, invocation }),
      approveMore: async (more, open) => checkMore(more, payerOf(request, open, invocation), invocation),
    });
    return runRecorded(request, recorded, invocation);
  });
}

/** A manifest that is to become a new batch. */
interface NewManifest {
  readonly checked: SoundManifest;
  readonly open: OpenApi;
  readonly voices: Promise<KnownVoices>;
  readonly invocation: Invocation;
}

/**
 * Checks before a new batch: prices for all rows that can have one, voices that the API does not list, then the checks
 * of `approval.ts`. Throws {@link ExitError} if it may not be paid for.
 */
async function readyToSpend(
  request: RunRequest,
  { checked, open, voices, invocation }: NewManifest,
): Promise<SoundManifest> {
  const { manifestPath, flags, source, plan } = request;
  const { output } = invocation;
  const [probed, known] = await Promise.all([
    plan.probe
      ? probeAloud(source, checked, { budget: plan.settings.budget, apiUrl: realmOf(open).apiUrl, output })
      : checked,
    voices,
  ]);
  if (known.type === 'faulty')
    throw refuseProblems(known.summary, manifestPath, output, reportOptions(manifestPath, flags));
  sayWarnings(known, output);
  const priced = withVoices(probed, known);
  const { summary, reasons } = await planNew({
    ...plan,
    source,
    checked: priced,
    ledger: await invocation.session.ledger(),
    account: realmOf(open),
    identify: identifyWarning(output),
  });
  const facts = spendFacts(summary, plan.settings, payerOf(request, open, invocation));
  for (const line of reasonLines(reasons, plan.settings.cache, facts.isEstimate)) output.say(line);
  if (plan.settings.cache === 'fresh') output.say(priceText(facts));
  const refused = await approve(facts, invocation.person);
  if (refused !== undefined) throw spendError(refused);
  return { summary, options: priced.options };
}

/** What is known about the payer. */
function payerOf({ plan, isAgreed = false }: RunRequest, open: OpenApi, { person }: Invocation): Payer {
  return payerAt({ ...person, yes: person.yes || isAgreed }, open, plan.confirmAbove);
}
