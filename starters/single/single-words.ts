import type { PrepareRequest } from '../../client/single/find-single.ts';
import type { SingleView } from '../../client/single/single-view.ts';
import type { SingleEvent, SingleJobRequest, SingleRequested } from '../../client/single/request-single.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Outcome } from '../../contract/outcomes.ts';
import { isTraceable, operationOf, stepsIn } from '../../contract/row-kinds.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { ExitError } from '../exit-error.ts';
import { inCredits } from '../terminal/money.ts';
import { pauseMessage } from '../terminal/pause-words.ts';
import { number, sameAgain, sentence, plural } from '../terminal/words.ts';
import type { RecordedTake } from '../recorded-take.ts';
import { pricingLines } from '../run/pricing-words.ts';

/**
 * Texts of the commands that run a single job (`say`, `transcribe`, `lip-sync`, `voices create`).
 */

/** Returns the message after Ctrl-C or SIGTERM, before the job has ended. */
export function stoppedText(taken?: RecordedTake): string {
  return `Stopped here; nothing is lost. ${sameAgain(taken)}`;
}

/** What to do with a local file, which the API cannot fetch. */
const UPLOAD_ADVICE =
  'Put the file where the API can fetch it, such as a bucket, and give its address there; ' +
  'or have it handed out from here: VOXBATCH_SERVE_MEDIA=HOST:PORT, and VOXBATCH_SERVE_MEDIA_URL with the address at which the API reaches that.';

/** Returns the error for a job whose input is wrong. */
export function refuseJob(
  { command, typed = command, cells }: PrepareRequest['job'],
  problems: Extract<SingleRequested, { readonly type: 'faulty' }>['problems'],
): ExitError {
  const lines = problems.map(({ code, column, expected, got }) => {
    if (code === 'missing-cell')
      return column in cells
        ? `The ${column} is empty.`
        : `${typed} needs --${column}${column === 'voice' ? ' (voxbatch voices list shows them)' : ''}.`;
    if (code === 'local-file')
      return `${column}: ${got} is no http(s) address, and the API fetches its media by URL. ${UPLOAD_ADVICE}`;
    return `${column === '' ? '' : `${column}: `}expected ${expected}; got ${got}.`;
  });
  return new ExitError(
    'usage',
    `${lines.join('\n')}\nNothing was sent. Nothing was spent. See: voxbatch ${typed} --help`,
    { next: `voxbatch ${typed} --help`, facts: { problems } },
  );
}

/** Returns why a job that ran before is not sent again without a flag. */
export function heldText({ why }: Pick<Extract<SingleRequested, { readonly type: 'held' }>, 'why'>): string {
  return WHY_HELD[why];
}

const WHY_HELD = {
  failed: 'This was asked for before, and failed after it was charged. Nothing was sent now.',
  unfit: 'This was asked for before, and its result did not pass a check. Nothing was sent now.',
  unknown: 'This was asked for before, and may have been charged. Nothing was sent now.',
  running: 'This was asked for before, and its job may still run. Nothing was sent now.',
} as const;

/** Returns what a job has cost: the known charges, those of its latest take first, and possible further ones. */
export function costText({ fields, charges, uncertain, row, creditsOfTake }: SingleView): string {
  const { _credits: credits, _credits_kind: kind } = fields;
  const isEstimate = charges.some(({ chargedFrom }) => chargedFrom === 'quote');
  const charged = `${isEstimate ? 'About ' : ''}${inCredits(credits)} charged.`;
  if (kind !== 'uncertain' && creditsOfTake !== 0 && creditsOfTake !== credits) {
    const isTakeEstimate = charges.some(({ take, chargedFrom }) => take === row.take && chargedFrom === 'quote');
    const sum = `${isEstimate && !isTakeEstimate ? 'about ' : ''}${number(credits)}`;
    return `${isTakeEstimate ? 'About ' : ''}${inCredits(creditsOfTake)} charged; ${sum} with its earlier takes.`;
  }
  if (kind !== 'uncertain') return credits === 0 ? 'Nothing was charged.' : charged;
  if (credits === 0)
    return uncertain === 0 ? 'Its price is not known.' : `${inCredits(uncertain)} may have been charged.`;
  const more = uncertain === 0 ? 'More' : `${inCredits(uncertain)} more`;
  return `${charged} ${more} may have been.`;
}

/** Returns why a job has no result, and the next steps. */
export function endText(record: SingleView, taken?: RecordedTake): readonly string[] {
  const { batch, row } = record;
  const why = `See: voxbatch explain ${shellWord(batch.name)}`;
  if (row.outcome === null) return [goesOnText(record, taken)];
  const { _credits: credits, _credits_kind: kind } = record.fields;
  const reason = row.failure === null ? '' : `: ${reasonOf(row.failure)}`;
  const charged = credits > 0 ? 'charged' : 'free';
  const spent = kind === 'uncertain' ? 'uncertain' : charged;
  // The reason of a refusal has "not charged" already.
  const cost = spent === 'free' && reason.includes('charged') ? '' : ` ${costText(record)}`;
  // If only the verification's answer is lost, the title of `unknown` would be wrong, and the reason says enough.
  const begin = isUnverified(record) ? reason.slice(2) : `${TITLES[row.outcome]}${reason === '' ? '.' : reason}`;
  return [`${begin}${cost}`, `${nextOf(record, spent)} ${why}`];
}

function reasonOf(failure: Failure): string {
  if (failure.class === 'NotCached') return 'no earlier, equal result is there, and --cache only sends nothing.';
  return sentence(failure.message);
}

function goesOnText({ batch }: SingleView, taken: RecordedTake | undefined): string {
  if (batch.control === 'paused') return pauseMessage(batch, { isDeserted: true });
  return `It is not finished. ${sameAgain(taken)}`;
}

const TITLES: Readonly<Record<Outcome, string>> = {
  succeeded: 'It has its result',
  cached: 'It has its result',
  failed: 'It failed',
  unfit: 'Its result did not pass a check',
  skipped: 'It was not sent',
  unknown: 'The answer to its request was lost, so it may have been charged',
  overdue: 'Its job was still running when its time was over',
  cancelled: 'It was stopped before it had a result',
};

const PAY_AGAIN = 'To pay for another take: the same command with --again.';
const SEND_AGAIN = 'The same command sends it again, at its price.';

const RESUBMIT = 'To send it again, which may charge twice: the same command with --resubmit.';

/** Returns what the user can do about a job without a result. `cost`: what it has cost so far. */
function nextOf(record: SingleView, cost: 'free' | 'charged' | 'uncertain'): string {
  const { batch, row } = record;
  const name = shellWord(batch.name);
  // Other commands need the job's input, which `voxbatch clean` has removed.
  if (record.isCleaned) return cost === 'free' ? SEND_AGAIN : PAY_AGAIN;
  switch (row.outcome) {
    case 'unknown': {
      if (isUnverified(record)) return uncheckedText(record);
      const findOut = isListedByApi(record) ? `Find out, free: voxbatch reconcile ${name}. ` : '';
      return `It is not sent again by itself. ${findOut}${RESUBMIT}`;
    }
    case 'overdue':
      return 'The same command again waits for that job, free.';
    case 'unfit':
      return `The file is kept; to write it to out/${name}/: voxbatch results ${name}. ${acceptText(name)} ${PAY_AGAIN}`;
    case 'skipped':
      if (record.isStored)
        return `The store has its result, from before the restore. To find out how the job is given that, free: voxbatch reconcile ${name}.`;
      return row.failure?.class === 'NotCached'
        ? 'To pay for it: the same command without --cache only.'
        : 'To send it: the same command with a larger --budget.';
    default:
      // A text in parts without a file, because some parts did not pass a check.
      if (row.parts !== null && row.failure?.class === 'Unfit')
        return `All its parts are kept. ${acceptText(name)} ${PAY_AGAIN}`;
      if (cost === 'uncertain') return RESUBMIT;
      return cost === 'charged' ? PAY_AGAIN : SEND_AGAIN;
  }
}

/** Whether the speech is stored and only the answer of its verification is lost. */
function isUnverified(record: SingleView): boolean {
  const { outcome, failure, parts } = record.row;
  return outcome === 'unknown' && failure !== null && parts === null && record.lacksOnlyCheck;
}

/** Returns the next steps if only the verification's answer is lost, so only that may be charged twice. */
function uncheckedText({ batch, charges }: SingleView): string {
  const { quoted = null } = charges.at(-1) ?? {};
  const price = quoted === null ? '' : ` (${inCredits(quoted)})`;
  return (
    `It is not sent again by itself. ${acceptText(shellWord(batch.name))} ` +
    `To pay for another verification alone${price}, the first of which may have been charged: the same command with --resubmit.`
  );
}

function acceptText(name: string): string {
  return `To accept it as it is, free: voxbatch redrive ${name} --rows 1 --accept, then the same command again.`;
}

/** Whether the API lists what such jobs make, so that `reconcile` can find it after a lost answer. */
function isListedByApi({ batch, row }: SingleView): boolean {
  return stepsIn(row.spec).some((step) => isTraceable(operationOf(row.spec, step, batch.settings.tts)));
}

/**
 * Returns the lines to print for an event before the job is paid for. `isProbed`: its media were probed, so `--probe`
 * is not advised; `retakes`: automatic retakes that may follow.
 */
export function eventLines(
  event: SingleEvent,
  {
    isProbed,
    retakes,
    cache,
  }: Pick<SingleJobRequest['job']['settings'], 'retakes' | 'cache'> & { readonly isProbed: boolean },
): readonly string[] {
  switch (event.type) {
    case 'found':
    case 'more':
      return [];
    case 'warned':
    case 'voices':
      // Without the line number: the manifest of a single job has one row.
      return event.warnings.map(({ message }) => `warning: ${message}`);
    case 'priced': {
      if (event.reasons.cached.rows > 0) return ['An earlier, equal row has this result: it costs nothing.'];
      return event.cache === 'only' ? [] : [`${priceOf(event.facts, isProbed)}${retakesText(retakes)}`];
    }
    case 'opening':
      return [];
    case 'planned': {
      const { paying, waits } = event.forecast;
      if (paying > 0) return cache === 'only' ? [] : [`A new take. ${priceOf(event.forecast)}`];
      return waits > 0 ? ['Its job was paid for: waiting for its result again costs nothing.'] : [];
    }
    default:
      return pricingLines(event);
  }
}

type Facts = Pick<Extract<SingleEvent, { readonly type: 'priced' }>['facts'], 'isEstimate'> & {
  readonly bill: { readonly unpriced: number; readonly quoted: number };
};

function priceOf({ bill, isEstimate }: Facts, isProbed = false): string {
  if (bill.unpriced === 0) return `It costs ${isEstimate ? 'about ' : ''}${inCredits(bill.quoted)}.`;
  return `Its price depends on the length of its media, which is not known${isProbed ? '' : ' (--probe reads it, free)'}.`;
}

/** Returns that automatic retakes may follow, which the price does not include; empty if there are none. */
function retakesText(retakes: number): string {
  return retakes === 0 ? '' : ` Up to ${plural(retakes, 'retake')} may follow, each at full price.`;
}
