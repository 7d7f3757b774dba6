import { ExitError } from './exit-error.ts';
import type { Person } from '../client/person.ts';

/** Asks a person a question; false: no. */
export type Ask = (question: string) => Promise<boolean>;

/** Throws {@link ExitError} (`refused`) if a removal is neither agreed to in advance nor anybody can be asked. */
export function requireConsent({ yes, canAsk }: Pick<Person, 'yes' | 'canAsk'>): void {
  if (yes || canAsk) return;
  throw new ExitError('refused', 'Not confirmed, and there is no terminal to ask on. Nothing was removed. Add --yes.');
}

/** Asks whether to remove what was shown. Throws {@link ExitError} (`refused`) if not. */
export async function confirmRemoval(ask: Ask): Promise<void> {
  if (!(await ask('Remove this for good?'))) throw new ExitError('refused', 'Not confirmed. Nothing was removed.');
}
