import type { RedriveSelection } from '../batches/redrive/selection.ts';
import type { SettlementRequest } from '../batches/reconcile/settlement-request.ts';
import { FAILURES } from '../contract/failures.ts';
import { OUTCOMES } from '../contract/outcomes.ts';
import { KINDS, STEPS } from '../contract/row-kinds.ts';
import type { Tuning } from '../contract/tunables.ts';
import { checkTuning } from './check-options.ts';
import { refuseOption as refuse } from './refuse-option.ts';

/** What a redrive is asked for; a file by its name. */
type GivenRedrive = RedriveSelection & { readonly from?: string | undefined; readonly tuning?: Tuning };

/** Refuses an empty list of a program: it means no row, but its author may think of all. */
export function refuseEmpty({ outcomes, classes, kinds }: RedriveSelection): void {
  const lists = { outcomes: [outcomes, OUTCOMES], classes: [classes, Object.keys(FAILURES)], kinds: [kinds, KINDS] };
  for (const [option, [list, known = []]] of Object.entries(lists))
    if (list?.length === 0) refuse(option, `one of ${known.join(', ')}`, 'none');
}

/** Checks which rows are to run again, and how. */
export function checkRedrive(options: GivenRedrive): void {
  const { from, rows, outcomes, classes, kinds, damaged, step, resubmit, accept, tuning } = options;
  const isSelected = [rows, outcomes, classes, kinds].some((one) => one !== undefined) || damaged === true;
  if (!isSelected && from === undefined)
    refuse('rows', 'rows, outcomes, classes, kinds, damaged or from', 'none of them');
  if (isSelected && from !== undefined) refuse('from', 'no rows, outcomes, classes, kinds or damaged beside it', from);
  if (accept === true && (from !== undefined || step !== undefined || resubmit === true))
    refuse('accept', 'no from, step or resubmit beside it', accept);
  if (damaged === true && (step !== undefined || resubmit === true || accept === true))
    refuse('damaged', 'no step, resubmit or accept beside it', damaged);
  checkNames('rows', rows);
  checkWords('outcomes', outcomes, OUTCOMES);
  checkWords('classes', classes, Object.keys(FAILURES));
  checkWords('kinds', kinds, KINDS);
  checkWords('step', step === undefined ? undefined : [step], STEPS);
  if (tuning !== undefined) checkTuning(tuning);
}

/** Checks what is to be settled, and how. */
export function checkSettlement({ adopt, release, notCharged, resubmit, rows }: SettlementRequest): void {
  checkNames(
    'adopt',
    adopt?.map(({ row }) => row),
  );
  checkNames(
    'adopt',
    adopt?.map(({ job }) => job),
  );
  for (const [option, names] of Object.entries({ release, notCharged, resubmit, rows })) checkNames(option, names);
}

/** An empty list would mean no row, but its author may think of all. */
function checkNames(option: string, names: readonly unknown[] | undefined): void {
  if (names === undefined) return;
  if (names.length === 0) refuse(option, 'one name at least', 'none');
  for (const name of names)
    if (typeof name !== 'string' || name.trim() === '') refuse(option, 'names that are not empty', name);
}

function checkWords(option: string, words: readonly string[] | undefined, known: readonly string[]): void {
  for (const word of words ?? []) if (!known.includes(word)) refuse(option, `one of ${known.join(', ')}`, word);
}
