import type { Outcome } from '../../contract/outcomes.ts';
import type { BatchRecord, Counts } from '../../ledger/record-types.ts';
import { shellWord } from '../go-on-command.ts';
import { number } from './progress.ts';

type Step = (rows: string, batch: string) => string;

/** What can be done about rows without a result, most pressing first. Every command is safe to repeat. */
const STEPS: readonly (readonly [Outcome, Step])[] = [
  [
    'refused',
    (rows, batch) =>
      `${rows} not sent, over the budget. Raise it (voxbatch tune ${batch} --budget CREDITS), then: ${redrive(batch, 'refused')}`,
  ],
  ['unknown', (rows, batch) => `${rows} may have been charged. Find out, free: voxbatch reconcile ${batch}`],
  [
    'overdue',
    (rows, batch) => `${rows} with a job that was still running. Fetch the result, free: ${redrive(batch, 'overdue')}`,
  ],
  [
    'failed',
    (rows, batch) =>
      `${rows} failed. Why: voxbatch explain ROW --batch ${batch}. To pay for them again: ${redrive(batch, 'failed')}`,
  ],
  ['rejected', (rows, batch) => `${rows} did not pass the check. To pay for them again: ${redrive(batch, 'rejected')}`],
  ['cancelled', (rows, batch) => `${rows} cancelled. To send them after all: ${redrive(batch, 'cancelled')}`],
];

/** What a person can do next about a batch that is finished; nothing where every row has its result. */
export function nextSteps(batch: BatchRecord, { outcomes }: Counts): readonly string[] {
  const name = shellWord(batch.name);
  const steps = STEPS.filter(([outcome]) => outcomes[outcome] > 0).map(([outcome, step]) =>
    step(`${number(outcomes[outcome])} ${outcomes[outcome] === 1 ? 'row' : 'rows'}`, name),
  );
  return batch.halted === null ? steps : [haltMessage(batch.halted), ...steps];
}

/** What is to be said of a batch that gave up by itself. */
export function haltMessage(halted: string): string {
  return `The batch gave up by itself: ${halted}. Look at the failures before you go on.`;
}

function redrive(batch: string, outcome: Outcome): string {
  return `voxbatch redrive ${batch} --where outcome=${outcome}`;
}
