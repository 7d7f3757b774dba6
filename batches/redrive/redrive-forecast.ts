import type { RedriveDraft } from './redrive-draft.ts';

/** What a redrive will do and cost, in numbers of rows. Nothing of it has happened yet. */
export type RedriveForecast = Readonly<
  Pick<
    RedriveDraft,
    | 'count'
    | 'parts'
    | 'pays'
    | 'waits'
    | 'joins'
    | 'rewritten'
    | 'untaken'
    | 'openEdited'
    | 'accepts'
    | 'returns'
    | 'refetched'
    | 'left'
    | 'replaced'
    | 'lost'
    | 'firstReplaced'
    | 'notChosen'
    | 'resubmitted'
    | 'paying'
    | 'dependents'
    | 'isEstimate'
    | 'bill'
    | 'refused'
    | 'refusedFor'
    | 'refusedParts'
  >
>;
