import { ATTEMPT_STATES, type AttemptState } from '../../contract/outcomes.ts';
import { stepsIn } from '../../contract/row-kinds.ts';
import { nextMove, type AttemptView } from '../../policy/rows/row-machine.ts';
import { mermaid } from './markdown.ts';

/** A row of two steps that is at the first one of them. */
const KIND = 'dub';
const [FIRST] = stepsIn({ kind: KIND });

/** How the last attempt of a row stands: its state and, where a job was made, how that ended. */
type Situation = Pick<AttemptView, 'state' | 'finishedAt' | 'failure'>;

/**
 * The way of a row through the states of its attempts. The row machine is asked for the arrow out of every state; only what an answer
 * or a look can bring is written down here.
 */
export function rowPicture(): string {
  const verdicts = ATTEMPT_STATES.filter((state) => state !== 'sending');
  return mermaid([
    'flowchart TD',
    '  start(["no attempt yet"])',
    '  next(["next step, or succeeded"])',
    '  look{"look for a trace"}',
    '  ended(["ended"])',
    ...ATTEMPT_STATES.map((state) => `  ${state}["${state}"]`),
    ...arrows('start', '', []),
    ...verdicts.filter((state) => state !== 'revoked').map((state) => `  sending -->|answer| ${state}`),
    ...ATTEMPT_STATES.flatMap(arrowsFrom),
    '  look -->|found| accepted',
    '  look -->|"nothing was recorded"| revoked',
    '  look -->|"not found: unknown"| ended',
  ]);
}

function arrowsFrom(state: AttemptState): readonly string[] {
  const open: Situation = { state, finishedAt: null, failure: null };
  if (state !== 'accepted' && state !== 'done') return arrows(state, '', [open]);
  const good: Situation = { ...open, finishedAt: 1 };
  const bad: Situation = { ...good, failure: {} };
  const waiting = state === 'accepted' ? arrows(state, 'job runs: ', [open]) : [];
  return [...waiting, ...arrows(state, 'result stored: ', [good]), ...arrows(state, 'failed: ', [bad])];
}

/** The move that the row machine makes from there. */
function arrows(from: string, when: string, [last]: readonly Situation[]): readonly string[] {
  const attempts = last === undefined ? [] : [{ step: FIRST ?? 'speech', take: 1, attempt: 1, ...last }];
  const move = nextMove({ row: 1, kind: KIND, take: 1, redoFrom: null, ended: false }, attempts);
  const arrow = (words: string, to: string): string[] => [`  ${from} -->|"${when}${words}"| ${to}`];
  switch (move.type) {
    case 'ended':
      return arrow('end', 'ended');
    case 'wait':
      return arrow('wait', from);
    case 'reconcile':
      return arrow('reconcile', 'look');
    case 'submit':
      if (move.at.step !== FIRST) return arrow(`submit ${move.at.step}`, 'next');
      return arrow(`submit attempt ${move.at.attempt}`, 'sending');
  }
}
