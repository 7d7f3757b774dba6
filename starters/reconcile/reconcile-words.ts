import { isoTime } from '../../contract/times.ts';
import { rowArg, takeArg } from '../../client/status/continue-command.ts';
import type { Reconciled, ReconcileEvent, ReconciledRow } from '../../client/reconcile/reconcile-options.ts';
import type { NamedRow } from '../../contract/row-parts.ts';
import { isListed, OPERATIONS, stepsOf } from '../../contract/row-kinds.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { inCredits } from '../terminal/money.ts';
import { jobOrFile, namedRow, number, plural } from '../terminal/words.ts';
import { oneLine, tableLines } from '../terminal/table.ts';

type SettledRow = Extract<ReconcileEvent, { readonly type: 'settled' }>['row'];
type Refusal = Extract<SettledRow, { readonly type: 'refused' }>['why'];
/** The steps that a row continues with after it was given its job. */
type GoesOn = Extract<SettledRow, { readonly type: 'adopted' }>['goesOn'];
type OrphanList = Reconciled['orphans'];
type LostVoices = Reconciled['voices'];
type VoiceOfRow = Extract<LostVoices, { readonly type: 'listed' }>['voices'][number];

/** Returns one line about what became of a row. */
export function reconciledLine(row: ReconciledRow): string {
  return `${namedRow(row)}: ${reconciledWords(row)}`;
}

/**
 * Warns if the adopted job cost another sum than its row was quoted, as it may be another row's; says how to undo it.
 */
export function priceLines(row: SettledRow, batch: string): readonly string[] {
  if ((row.type !== 'adopted' && row.type !== 'charged') || row.otherPrice === undefined) return [];
  const { quoted, charged } = row.otherPrice;
  const word = shellWord(row.type === 'charged' ? takeArg(row, row.take) : rowArg(row));
  return [
    `WARNING: ${namedRow(row)} was to cost ${inCredits(quoted)}, and job ${oneLine(row.jobId ?? '')} cost ${number(charged)}, ` +
      `so it may be the job of another row. To take it back: voxbatch reconcile ${shellWord(batch)} --release ${word}`,
  ];
}

/** Warns if the adopted voice may be older than the row's request; says how to undo it. */
export function olderVoiceLines(row: SettledRow, batch: string): readonly string[] {
  if (row.type !== 'adopted' || row.mayBeOlder !== true) return [];
  return [
    `WARNING: a voice of this name may have been there before ${namedRow(row)} asked for one, and voice ${oneLine(row.jobId ?? '')} may be that one. ` +
      `To take it back: voxbatch reconcile ${shellWord(batch)} --release ${shellWord(rowArg(row))}`,
  ];
}

/**
 * Warns if the adopted job has other links than its row: the row's cells may have been edited for that take, which a
 * restored ledger lacks, or the job is another row's. Says how to undo it.
 */
export function otherInputLines(row: SettledRow, batch: string): readonly string[] {
  if (row.type !== 'adopted' || row.otherInputs !== true) return [];
  return [
    `WARNING: the API lists job ${oneLine(row.jobId ?? '')} with other links than those of ${namedRow(row)}: its cells were edited for that take, and the ledger does not know them, or it is the job of another row. ` +
      `To take it back: voxbatch reconcile ${shellWord(batch)} --release ${shellWord(rowArg(row))}`,
  ];
}

/** The steps whose jobs the API lists. */
const LISTED = OPERATIONS.filter(isListed).flatMap(stepsOf).join(' or ');

/** A table of jobs that belong to no row. `isWanted`: some unknown row may have lost one of them. */
export function orphanLines(
  list: OrphanList,
  batch: string,
  { isWanted }: { readonly isWanted: boolean },
): readonly string[] {
  if (list.type === 'unreadable' || list.orphans.length === 0) return [];
  const { orphans } = list;
  return [
    `${plural(orphans.length, `${LISTED} job`)} from the time of the batch that belong to no row. They may belong to another program on this account.`,
    ...tableLines(
      [
        { title: 'job', value: ({ id }) => id },
        { title: 'status', value: ({ status }) => status },
        { title: 'created', value: createdWords },
        { title: 'credits', value: ({ credits }) => (credits === undefined ? '' : number(credits)), align: 'right' },
        { title: 'video from', value: ({ videoHost }) => videoHost ?? '' },
        { title: 'audio from', value: ({ audioHost }) => audioHost ?? '' },
      ],
      orphans,
    ).map((line) => `  ${line}`),
    ...(isWanted ? [`To assign one to a row: voxbatch reconcile ${shellWord(batch)} --adopt ROW=JOB`] : []),
  ];
}

/** Returns what became of a row. */
export function reconciledWords(row: ReconciledRow): string {
  switch (row.type) {
    case 'found':
      return `its result was stored${takeWords(row.newTake)}; nothing was paid again`;
    case 'adopted':
      return row.isResult === true
        ? `has voice ${oneLine(row.jobId ?? '')} now${takeWords(row.newTake)}; nothing was paid again`
        : `has job ${oneLine(row.jobId ?? '')} now${takeWords(row.newTake)}; its result is fetched without paying again${goesOnWords(row.goesOn)}`;
    case 'moved-on':
      return 'is no longer unknown: its answer has arrived, or someone else settled it';
    case 'resubmitted':
      return 'was sent again at full price';
    case 'still-unknown':
      if (row.lacksOnlyCheck === true)
        return 'still unknown: its result is stored and paid for; only the answer of its verification is lost, and the API lists none';
      if (row.answer !== undefined) return `still unknown: ${oneLine(row.answer)}`;
      return row.hasList
        ? 'still unknown: nothing in the list is certain to be its own'
        : 'still unknown: the API does not list such requests, so only your account can show whether it was charged';
    case 'unreadable':
      return `still unknown: the list could not be read (${oneLine(row.why)})`;
    case 'released':
      return `no longer has ${jobOrFile(row.jobId ?? '')}: it is unknown again whether its own request was charged`;
    case 'charged':
      return `take ${String(row.take)} was charged: job ${oneLine(row.jobId ?? '')}; the row stays as it is`;
    case 'not-charged':
      return `take ${String(row.take)} was not charged; the row stays as it is`;
    case 'doubted':
      return `take ${String(row.take)} is in doubt again: it is not known whether it was charged; the row stays as it is`;
    case 'refused':
      return row.jobId === null
        ? `unchanged: ${oneLine(refusalWords(row.why, row))}`
        : `does not get ${jobOrFile(row.jobId)}: ${oneLine(refusalWords(row.why, row))}`;
  }
}

function takeWords(take: number | undefined): string {
  return take === undefined ? '' : `, as take ${String(take)}`;
}

function goesOnWords(goesOn: GoesOn): string {
  if (goesOn === undefined) return '';
  const price = goesOn.quoted === null ? 'at its price' : `for about ${inCredits(goesOn.quoted)}`;
  return `; then its ${goesOn.steps.join(' and ')} is sent, ${price}`;
}

function refusalWords(why: Refusal, row: NamedRow): string {
  switch (why.type) {
    case 'adopted-before':
      return (
        `it has ${oneLine(why.jobId)} by --adopt. ` +
        (why.hasLaterStep === true
          ? 'If this is the job of its next step, run the same command again once that result is fetched. If that is the wrong job, take it back first: '
          : 'Take that back first: ') +
        `voxbatch reconcile ${shellWord(why.batch)} ` +
        `--release ${shellWord(why.take === undefined ? rowArg(row) : takeArg(row, why.take))}`
      );
    case 'not-in-doubt':
      return 'the row has no unknown request, and none that could be sent now';
    case 'take-not-in-doubt':
      return 'that take has no unknown request';
    case 'in-flight':
      return 'its request is in flight; wait for its answer';
    case 'makes-no-job':
      return `a ${why.step} of a ${why.kind} row makes no job`;
    case 'no-such-job':
      return `the API has no ${why.step === 'voice' ? 'voice' : `${why.step} job`} of that id (${why.words})`;
    case 'other-file':
      return 'that file is not a result of this row and take, or a batch in the ledger has it';
    case 'no-file':
      return 'the store has no such file';
    case 'needs-job':
      return 'a later step needs the job that made that file; name the job, as your account shows it';
    case 'other-inputs':
      return 'the API lists that job with other links than those of the row';
    case 'job-unreadable':
      return `the job could not be read: ${why.words}`;
    case 'made-before':
      return `that voice was made ${new Date(why.madeAtMs).toISOString()}, before the request of the row, so it is not its own`;
    case 'job-taken':
      return `${namedRow(why.by)} of batch "${why.by.batch}" has that job`;
    case 'answer-came':
      return 'its answer has arrived meanwhile';
    case 'moved-on':
      return 'its request was sent meanwhile, or is no longer the next one; run the same command again once it has an answer';
    case 'current-take':
      return 'that take is the current one; use --resubmit to send it again';
    case 'not-adopted':
      return 'nothing of it was settled by --adopt or --not-charged, and an answer of the API cannot be undone';
    case 'job-used':
      return why.words;
  }
}

/** Printed above the table if a voice in it may be older than the request of its row. */
const OLDER_VOICES =
  'WARNING: where the column "new" does not say yes, a voice of that name may have been there before the request, which is not the row\'s own. Look in your account first.';

/** A table of voices that unknown rows may have made, and the command that assigns one. */
export function lostVoiceLines(list: LostVoices, batch: string): readonly string[] {
  if (list.type === 'unreadable') return [];
  const { voices } = list;
  const [first] = voices;
  if (first === undefined) return [];
  const columns = [
    { title: 'row', value: rowArg },
    { title: 'voice', value: ({ voice }: VoiceOfRow) => voice },
    { title: 'name', value: ({ name }: VoiceOfRow) => name },
    { title: 'provider', value: ({ provider }: VoiceOfRow) => provider },
    { title: 'new', value: ({ isNew }: VoiceOfRow) => (isNew ? 'yes' : 'unknown') },
    { title: 'created', value: createdWords },
  ];
  const rivals = voices.filter(({ row, voice }) => row === first.row || voice === first.voice);
  const isOlder = voices.some(({ isNew }) => !isNew);
  // The command has a voice's id only if no other can be meant, because users paste commands as they are.
  const voice = rivals.length === 1 && first.isNew ? first.voice : 'VOICE';
  return [
    'Voices of the name that such a row gives, which no row has. They may be its own, or somebody else made them.',
    ...(isOlder ? [OLDER_VOICES] : []),
    ...tableLines(columns, voices).map((line) => `  ${line}`),
    `To give a row its voice: voxbatch reconcile ${shellWord(batch)} --adopt ${shellWord(`${rowArg(first)}=${voice}`)}`,
  ];
}

function createdWords({ createdAtMs: at }: { readonly createdAtMs?: number | undefined }): string {
  return at === undefined ? '' : isoTime(at);
}
