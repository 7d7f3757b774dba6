import type { By } from '../../contract/actions.ts';

/** A person who acts. */
export const ANN: By = { actor: { type: 'person', name: 'ann@home' }, command: 'c1', reason: null };
